#include "forebay/standin/chaos.hpp"

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::standin {

namespace {
constexpr int kMostWakeUps = 1'000'000;
constexpr double kWhole = 1e6;
}  // namespace

std::optional<std::string> Chaos::apply(std::string_view command, Instant now) {
  const std::size_t blank = command.find(' ');
  const std::string_view name = command.substr(0, blank);
  const std::string_view value =
      blank == std::string_view::npos ? std::string_view() : command.substr(blank + 1);
  if (name == "calm") {
    calm();
    return std::nullopt;
  }
  if (name == "conflicts") {
    const std::optional<double> rate = parse_number<double>(value);
    if (!rate || !(*rate >= 0 && *rate <= 1)) return "conflicts takes a number from 0 to 1";
    conflicts_ = *rate;
    return std::nullopt;
  }
  if (name == "refuse_tokens") {
    if (value != "on" && value != "off") return "refuse_tokens takes true or false";
    refuses_tokens_ = value == "on";
    return std::nullopt;
  }
  if (name == "wake_up") {
    const std::optional<int> times = parse_number<int>(value);
    if (!times || *times < 0 || *times > kMostWakeUps) return "wake_up takes a number of connects";
    wake_ups_ = *times;
    return std::nullopt;
  }
  if (name == "drop_connections") {
    ++drops_;
    return std::nullopt;
  }
  const std::optional<Duration> time = parse_duration(value);
  const bool is_timed = name == "slow_connects" || name == "go_away";
  if (!is_timed) return fmt::format("there is no {}", name);
  if (!time || *time < Duration::zero())
    return fmt::format("{} takes a time with its unit, as in '250ms' or '3s'", name);
  if (name == "slow_connects") connect_delay_ = *time;
  if (name == "go_away") {
    away_until_ = deadline_after(now, *time);
    ++drops_;
  }
  return std::nullopt;
}

void Chaos::calm() {
  conflicts_ = 0;
  refuses_tokens_ = false;
  connect_delay_ = Duration::zero();
  away_until_ = Instant::min();
  wake_ups_ = 0;
}

bool Chaos::draw_conflict() {
  if (conflicts_ <= 0) return false;
  return random_.chance_per_million(static_cast<std::uint32_t>(conflicts_ * kWhole));
}

bool Chaos::take_wake_up() {
  if (wake_ups_ == 0) return false;
  --wake_ups_;
  return true;
}

}  // namespace forebay::standin
