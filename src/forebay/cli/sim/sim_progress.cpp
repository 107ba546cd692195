#include "forebay/cli/sim/sim_progress.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "forebay/base/readable_time.hpp"
#include "forebay/cli/text/figures.hpp"

namespace forebay::cli {
namespace {

constexpr int kWords = 60;                        // columns kept for the words beside a bar
constexpr double kLongestGuess = 30 * 24 * 3600;  // seconds; what is told of more is no guess

int bar_width(const TextStyle& style) { return std::clamp(style.width - kWords, 5, 30); }

// What is left, if the rest goes as the part did, in whole seconds.
std::string time_left(double part, double whole, Duration elapsed) {
  if (part <= 0) return "";
  const double left = seconds(elapsed) * (whole - part) / part;
  if (left > kLongestGuess) return "";
  return readable_time(std::chrono::seconds(std::llround(left))) + " left";
}

std::string rate_text(double rate) {
  return rate < 10 ? fmt::format("{:.1f}", rate) : grouped(static_cast<std::uint64_t>(rate + 0.5));
}

}  // namespace

std::string clock_text(Duration time) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  const auto whole = milliseconds / 1000;
  std::string text = whole >= 3600
                         ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                         : fmt::format("{}:{:02}", whole / 60, whole % 60);
  if (milliseconds % 1000 != 0) text += fmt::format(".{:03}", milliseconds % 1000);
  return text;
}

std::string progress_line(const RunProgress& progress, const TextStyle& style) {
  const double part = seconds(progress.virtual_time);
  const double whole = seconds(progress.duration);
  using std::chrono::floor;
  return StyledLine(style)
      .add(progress.scenario, Colour::bold)
      .add(fmt::format("  {} of {} ",
                       clock_text(floor<std::chrono::seconds>(progress.virtual_time)),
                       clock_text(progress.duration)))
      .bar(bar_width(style), part, whole, Colour::green)
      .add(fmt::format(" {} events/s  {}", rate_text(per_second(progress.events, progress.elapsed)),
                       time_left(part, whole, progress.elapsed)))
      .text();
}

std::string progress_line(const SeedsProgress& progress, const TextStyle& style) {
  const auto part = static_cast<double>(progress.done);
  const auto whole = static_cast<double>(progress.count);
  return StyledLine(style)
      .add(progress.scenario, Colour::bold)
      .add(fmt::format("  {} of {} seeds ", grouped(progress.done), grouped(progress.count)))
      .bar(bar_width(style), part, whole, Colour::green)
      .add(fmt::format(" {}/s  ", rate_text(per_second(progress.done, progress.elapsed))))
      .add(fmt::format("{} failed", grouped(progress.failed)),
           progress.failed > 0 ? Colour::red : Colour::dim)
      .add(fmt::format("  {}", time_left(part, whole, progress.elapsed)))
      .text();
}

}  // namespace forebay::cli
