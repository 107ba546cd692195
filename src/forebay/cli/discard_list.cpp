#include "forebay/cli/discard_list.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/cli/styled_line.hpp"

namespace forebay::cli {

DiscardList::DiscardList(const PoolCounters& counters) {
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    const auto reason = static_cast<DiscardReason>(i);
    const std::uint64_t count = counters.discarded(reason);
    if (count > 0) reasons_.emplace_back(reason, count);
    total_ += count;
  }
  std::ranges::stable_sort(reasons_, std::greater<>(),
                           [](const auto& entry) { return entry.second; });
}

std::string DiscardList::text(int width) const {
  std::string text;
  std::uint64_t rest = total_;
  for (const auto& [reason, count] : reasons_) {
    const std::string item =
        fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), name(reason));
    const std::string others =
        rest > count ? fmt::format(", {} others", grouped(rest - count)) : "";
    const bool fits = static_cast<int>(text.size() + item.size() + others.size()) <= width;
    if (!fits && !text.empty()) return text + fmt::format(", {} others", grouped(rest));
    text += item;
    rest -= count;
  }
  return text;
}

}  // namespace forebay::cli
