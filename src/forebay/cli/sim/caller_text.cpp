#include "forebay/cli/sim/caller_text.hpp"

#include <fmt/format.h>

namespace forebay::cli {

std::string callers_text(const sim::CallerTotals& callers) {
  if (callers.started == 0) return "none";
  if (callers.failed == 0) return grouped(callers.started) + ", none of whom failed";
  const double share =
      100 * static_cast<double>(callers.failed) / static_cast<double>(callers.started);
  std::string text =
      fmt::format("{}, of whom {} failed ({} %)", grouped(callers.started), grouped(callers.failed),
                  share < 0.1 ? "less than 0.1" : fmt::format("{:.1f}", share));
  if (callers.timeouts > 0)
    text += fmt::format("; {} got no connection in time", grouped(callers.timeouts));
  return text;
}

void add_held(StyledLine& title, const sim::CallerTotals& callers) {
  if (callers.failed == 0) {
    title.at_right("everything held", Colour::green);
    return;
  }
  const int before = title.columns();
  title.at_right(fmt::format("everything held; {} {} failed", grouped(callers.failed),
                             callers.failed == 1 ? "caller" : "callers"),
                 Colour::yellow);
  const bool has_fitted = title.columns() > before;
  if (!has_fitted) title.at_right("everything held", Colour::yellow);
}

}  // namespace forebay::cli
