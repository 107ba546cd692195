// DiscardList: why connections were closed, the most frequent reason first.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "forebay/core/pool_counters.hpp"

namespace forebay::cli {

class DiscardList {
 public:
  explicit DiscardList(const PoolCounters& counters);

  std::uint64_t total() const { return total_; }
  // "120 replaced, 2 broken", over as many lines as are given; what does not fit becomes "3
  // others".
  std::vector<std::string> lines(int width, std::size_t most) const;
  // Only reasons that have occurred.
  const std::vector<std::pair<DiscardReason, std::uint64_t>>& reasons() const { return reasons_; }

 private:
  std::vector<std::pair<DiscardReason, std::uint64_t>> reasons_;
  std::uint64_t total_ = 0;
};

}  // namespace forebay::cli
