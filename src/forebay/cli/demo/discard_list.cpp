#include "forebay/cli/demo/discard_list.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/cli/text/styled_line.hpp"

namespace forebay::cli {

DiscardList::DiscardList(const PoolCounters& counters) {
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    const auto reason = static_cast<DiscardReason>(i);
    const std::uint64_t count = counters.discarded(reason);
    if (count > 0) reasons_.emplace_back(reason, count);
    total_ += count;
  }
  std::ranges::sort(reasons_, [](const auto& left, const auto& right) {
    return left.second != right.second ? left.second > right.second : left.first < right.first;
  });
}

std::vector<std::string> DiscardList::lines(int width, std::size_t most) const {
  std::vector<std::string> lines(1);
  std::uint64_t rest = total_;
  for (const auto& [reason, count] : reasons_) {
    const bool is_last_line = lines.size() == most;
    const std::string item = fmt::format("{} {}", grouped(count), name(reason));
    const std::string others = fmt::format("{} others", grouped(rest - count));
    // A comma follows, and on the last line the others must still fit.
    std::size_t needed = lines.back().size() + item.size();
    if (rest > count) needed += is_last_line ? others.size() + 3 : 1;
    if (needed > static_cast<std::size_t>(width) && !lines.back().empty()) {
      if (is_last_line) {
        lines.back() += fmt::format("{} others", grouped(rest));
        return lines;
      }
      lines.back().pop_back();  // the space behind the comma
      lines.emplace_back();
    }
    rest -= count;
    lines.back() += item + (rest > 0 ? ", " : "");
  }
  return lines;
}

}  // namespace forebay::cli
