#include "forebay/postgres/transaction/transaction.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/env/option_rules.hpp"

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
  OptionRules rules;
  rules.require(options.timeout > Duration::zero(), "timeout", duration_text(options.timeout),
                "it must be more than zero");
  OptionProblems wrong = rules.take();
  append(wrong, within("policy", problems(options.policy)));
  if (wrong.empty()) return {};
  return failure(invalid_options(wrong));
}

std::string begin_statement(const TransactionOptions& options) {
  std::string sql = "BEGIN";
  sql += clause(options.isolation);
  if (options.is_read_only) sql += " READ ONLY";
  return sql;
}

}  // namespace forebay::postgres
