#include "forebay/postgres/sql/affected_rows.hpp"

#include <string_view>

#include <fmt/format.h>

namespace forebay::postgres {
namespace {

Result<void> require(bool is_right, std::uint64_t count, std::string_view how,
                     std::uint64_t wanted) {
  if (is_right) return {};
  return failure(Error(ConditionFailed(AffectedRows::kKind),
                       fmt::format("the statement changed {} row{}, and {} {} expected", count,
                                   count == 1 ? "" : "s", how, wanted == 1 ? "was" : "were")));
}

}  // namespace

Result<void> AffectedRows::exactly(std::uint64_t wanted) const {
  return require(count_ == wanted, count_, fmt::format("exactly {}", wanted), wanted);
}

Result<void> AffectedRows::at_least(std::uint64_t wanted) const {
  return require(count_ >= wanted, count_, fmt::format("at least {}", wanted), wanted);
}

Result<void> AffectedRows::at_most(std::uint64_t wanted) const {
  return require(count_ <= wanted, count_, fmt::format("at most {}", wanted), wanted);
}

}  // namespace forebay::postgres
