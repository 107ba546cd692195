#include "forebay/postgres/transaction.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::postgres {
namespace {

std::string_view clause(Isolation isolation) {
  switch (isolation) {
    case Isolation::server_default: return "";
    case Isolation::read_committed: return " ISOLATION LEVEL READ COMMITTED";
    case Isolation::repeatable_read: return " ISOLATION LEVEL REPEATABLE READ";
    case Isolation::serializable: return " ISOLATION LEVEL SERIALIZABLE";
  }
  std::unreachable();
}

}  // namespace

Result<void> check(const TransactionOptions& options) {
  std::vector<std::string> wrong = problems(options.policy);
  if (options.timeout <= Duration::zero()) {
    wrong.push_back(fmt::format("the timeout of a transaction is {}; it must be more than 0",
                                duration_text(options.timeout)));
  }
  if (wrong.empty()) return {};
  return failure(Errc::invalid, fmt::format("{}", fmt::join(wrong, "\n")));
}

std::string begin_statement(const TransactionOptions& options) {
  std::string sql = "BEGIN";
  sql += clause(options.isolation);
  if (options.is_read_only) sql += " READ ONLY";
  return sql;
}

}  // namespace forebay::postgres
