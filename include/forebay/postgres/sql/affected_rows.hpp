// AffectedRows: how many rows a statement changed, in a form that cannot be overlooked: dropping
// one is a compiler's warning, and the number comes out only through a question that says what was
// expected. Pure.
#pragma once

#include <cstdint>

#include "forebay/base/error.hpp"

namespace forebay::postgres {

class [[nodiscard]] AffectedRows {
 public:
  // The kind of the ConditionFailed that the checks give.
  static constexpr const char* kKind = "affected_rows";

  explicit AffectedRows(std::uint64_t count) : count_(count) {}

  // Errc::condition_failed, with both numbers, if it is anything else.
  Result<void> exactly(std::uint64_t wanted) const;
  Result<void> at_least(std::uint64_t wanted) const;
  Result<void> at_most(std::uint64_t wanted) const;
  std::uint64_t any() const { return count_; }  // whatever it is, it is right

 private:
  std::uint64_t count_;
};

}  // namespace forebay::postgres
