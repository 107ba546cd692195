#include "forebay/base/readable_time.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace forebay {

using std::chrono::nanoseconds;

namespace {

// "12.30" without the zeros that say nothing.
std::string short_number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

}  // namespace

std::string readable_time(nanoseconds time) {
  if (time == nanoseconds::max()) return "unlimited";
  if (time == nanoseconds::zero()) return "0s";
  if (time < nanoseconds::zero())
    return "-" +
           readable_time(time == nanoseconds::min() ? nanoseconds::max() - nanoseconds(1) : -time);
  const double seconds = static_cast<double>(time.count()) / 1e9;
  if (seconds >= 59.95) {
    const std::int64_t whole = std::llround(seconds);
    const std::int64_t hours = whole / 3600;
    const std::string minutes = fmt::format("{}m{}s", whole / 60 % 60, whole % 60);
    return hours > 0 ? fmt::format("{}h{}", hours, minutes) : minutes;
  }
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr std::array<Unit, 4> kUnits{{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  for (const Unit& unit : kUnits) {
    const double value = seconds / unit.seconds;
    if (value < 0.9995 && unit.name != "ns") continue;
    const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return short_number(value, unit.name == "ns" ? 0 : decimals) + std::string(unit.name);
  }
  std::unreachable();
}

}  // namespace forebay
