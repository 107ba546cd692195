// Both forms build the same statements and read the same answers; only waiting differs.
#include "forebay/postgres/transaction/fenced_update.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/postgres/sql/quoted_identifier.hpp"

namespace forebay::postgres {
namespace {

// SQL and the values of its parameters, growing together.
class StatementText {
 public:
  void add(std::string_view text) { sql_ += text; }
  // "column" = $n
  void add_equation(std::string_view column, std::optional<std::string> value) {
    parameters_.push_back(std::move(value));
    sql_ += fmt::format("{} = ${}", quoted_identifier(column), parameters_.size());
  }
  void add_key(const FencedUpdate& update) {
    std::string_view joint = " WHERE ";
    for (const ColumnValue& part : update.key) {
      add(joint);
      add_equation(part.column, part.value);
      joint = " AND ";
    }
  }

  const std::string& sql() const { return sql_; }
  const Parameters& parameters() const { return parameters_; }

 private:
  std::string sql_;
  Parameters parameters_;
};

std::string table_of(const FencedUpdate& update) {
  const std::string table = quoted_identifier(update.table);
  return update.schema.empty() ? table : quoted_identifier(update.schema) + "." + table;
}

std::string entity_of(const FencedUpdate& update) {
  std::string text = update.kind + " ";
  std::string_view joint;
  for (const ColumnValue& part : update.key) {
    text += joint;
    text += part.value.value_or("NULL");
    joint = "/";
  }
  return text;
}

Fence fence_of(const FencedUpdate& update, const std::string& expected) {
  return Fence(update.kind, entity_of(update), expected);
}

// Without a key it would be every row, and NULL equals nothing, not even NULL.
Result<void> check(const FencedUpdate& update) {
  const auto is_null = [](const ColumnValue& part) { return !part.value.has_value(); };
  std::string_view wrong;
  if (update.key.empty()) wrong = "its key has no columns";
  if (std::ranges::any_of(update.key, is_null)) wrong = "a column of its key is NULL";
  if (update.next_token && update.next_token_after) wrong = "its next token is given in two ways";
  const bool has_token = update.next_token || update.next_token_after;
  if (update.values.empty() && !has_token) wrong = "it sets neither a value nor a token";
  if (wrong.empty()) return {};
  return failure(Errc::invalid,
                 fmt::format("the fenced update of a {} cannot be run: {}", update.kind, wrong));
}

StatementText update_statement(const FencedUpdate& update, const std::string& expected) {
  StatementText text;
  text.add(fmt::format("UPDATE {} SET ", table_of(update)));
  std::optional<std::string> next_token = update.next_token;
  if (update.next_token_after) next_token = update.next_token_after(expected);
  std::string_view joint;
  if (next_token) {
    text.add_equation(update.token_column, std::move(next_token));
    joint = ", ";
  }
  for (const ColumnValue& part : update.values) {
    text.add(joint);
    text.add_equation(part.column, part.value);
    joint = ", ";
  }
  text.add_key(update);
  text.add(" AND ");
  text.add_equation(update.token_column, expected);
  return text;
}

StatementText token_statement(const FencedUpdate& update) {
  StatementText text;
  text.add(
      fmt::format("SELECT {} FROM {}", quoted_identifier(update.token_column), table_of(update)));
  text.add_key(update);
  return text;
}

Result<void> swapped(const Result<AffectedRows>& changed, const Fence& fence) {
  if (!changed) return failure(changed.error());
  const std::uint64_t rows = changed->any();
  if (rows == 1) return {};
  if (rows == 0) {
    return failure(Error(
        ConditionFailed(fence.kind),
        fmt::format("{} fencing token changed from expected {}", fence.entity, fence.expected)));
  }
  return failure(Errc::invalid,
                 fmt::format("{}: the fenced update changed {} rows where one was meant; its "
                             "condition does not name a single row",
                             fence.entity, rows));
}

Result<std::string> token_in(const Result<QueryResult>& found, const FencedUpdate& update) {
  if (!found) return failure(found.error());
  if (found->rows() == 0) {
    return failure(Errc::not_found, fmt::format("there is no {}", entity_of(update)));
  }
  if (found->rows() > 1) {
    return failure(Errc::invalid, fmt::format("{}: the key of the fenced update names {} rows",
                                              entity_of(update), found->rows()));
  }
  const std::optional<std::string_view> token = found->value(0, 0);
  if (!token) {
    return failure(Errc::invalid, fmt::format("{} has no fencing token: its {} is NULL",
                                              entity_of(update), update.token_column));
  }
  return std::string(*token);
}

}  // namespace

Task<Result<void>> compare_and_swap(StatementScope& scope, Statement statement,
                                    Parameters parameters, Fence fence) {
  const Result<AffectedRows> changed =
      co_await scope.modify(std::move(statement), std::move(parameters));
  co_return swapped(changed, fence);
}

Result<void> compare_and_swap_blocking(StatementScope& scope, const Statement& statement,
                                       const Parameters& parameters, const Fence& fence) {
  return swapped(scope.modify_blocking(statement, parameters), fence);
}

Task<Result<void>> update_fenced(StatementScope& scope, FencedUpdate update, std::string expected) {
  const Result<void> checked = check(update);
  if (!checked) co_return failure(checked.error());
  const StatementText text = update_statement(update, expected);
  const Fence fence = fence_of(update, expected);
  co_return co_await compare_and_swap(scope, text.sql(), text.parameters(), fence);
}

Result<void> update_fenced_blocking(StatementScope& scope, const FencedUpdate& update,
                                    const std::string& expected) {
  const Result<void> checked = check(update);
  if (!checked) return failure(checked.error());
  const StatementText text = update_statement(update, expected);
  return compare_and_swap_blocking(scope, text.sql(), text.parameters(),
                                   fence_of(update, expected));
}

Task<Result<std::string>> update_auto_fenced(StatementScope& scope, FencedUpdate update) {
  const Result<void> checked = check(update);
  if (!checked) co_return failure(checked.error());
  const StatementText text = token_statement(update);
  const Result<QueryResult> found = co_await scope.exec(text.sql(), text.parameters());
  Result<std::string> token = token_in(found, update);
  if (!token) co_return failure(token.error());
  const Result<void> done = co_await update_fenced(scope, update, *token);
  if (!done) co_return failure(done.error());
  co_return token;
}

Result<std::string> update_auto_fenced_blocking(StatementScope& scope, const FencedUpdate& update) {
  const Result<void> checked = check(update);
  if (!checked) return failure(checked.error());
  const StatementText text = token_statement(update);
  Result<std::string> token = token_in(scope.exec_blocking(text.sql(), text.parameters()), update);
  if (!token) return failure(token.error());
  const Result<void> done = update_fenced_blocking(scope, update, *token);
  if (!done) return failure(done.error());
  return token;
}

}  // namespace forebay::postgres
