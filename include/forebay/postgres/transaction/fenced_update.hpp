// Fenced updates: change a row only if nobody else has changed it since it was read.
//
// A fencing token is a column that each change of ownership sets to a new value. An update that
// expects the token it has seen, and finds another, changes nothing and is
// Errc::condition_failed: Error::condition() tells the kind, the text what was expected. Nobody
// retries that, for the caller's view of the world is out of date. An update that changes more than
// one row is Errc::invalid: its key does not name a row. In a transaction, return that error, and
// it is rolled back.
//
//   FencedUpdate update("shard", "shards", "range_id");
//   update.key = {{"shard_id", "7"}};
//   update.next_token = "42";
//   update.values = {{"owner", "host-a"}};
//   Result<void> done = update_fenced_blocking(transaction, update, "41");
//
// Values and tokens travel as text, as all parameters do. Names of tables and columns are quoted:
// they are taken literally, capital letters and all.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/postgres/sql/statement_scope.hpp"

namespace forebay::postgres {

// What a statement of the caller's own expects.
struct Fence {
  Fence(std::string what, std::string which, std::string token)
      : kind(std::move(what)), entity(std::move(which)), expected(std::move(token)) {}

  std::string kind;      // ConditionFailed::kind: "shard"
  std::string entity;    // for people: "shard 7"
  std::string expected;  // the token, for people too: the statement has it among its parameters
};

// Runs an UPDATE or DELETE whose condition contains the token. REQUIRES of the statement: it can
// change one row at most.
Task<Result<void>> compare_and_swap(StatementScope& scope, Statement statement,
                                    Parameters parameters, Fence fence);
Result<void> compare_and_swap_blocking(StatementScope& scope, const Statement& statement,
                                       const Parameters& parameters, const Fence& fence);

struct ColumnValue {
  ColumnValue(std::string name, std::optional<std::string> text)
      : column(std::move(name)), value(std::move(text)) {}

  std::string column;
  std::optional<std::string> value;  // nothing means NULL
};

struct FencedUpdate {
  FencedUpdate(std::string what, std::string where, std::string token)
      : kind(std::move(what)), table(std::move(where)), token_column(std::move(token)) {}

  std::string kind;  // one word for a row of the table: "shard"
  std::string table;
  std::string token_column;
  std::string schema;                     // empty: by the search path
  std::vector<ColumnValue> key;           // all columns of a unique key, none of them NULL
  std::vector<ColumnValue> values;        // what to set, beside the token
  std::optional<std::string> next_token;  // nothing: the token stays
  // Instead: the next token is made of the one that is expected, as a counter's is.
  std::function<std::string(const std::string& expected)> next_token_after;
};

// Errc::condition_failed: "shard 7 fencing token changed from expected 41", also if the row is
// gone.
Task<Result<void>> update_fenced(StatementScope& scope, FencedUpdate update, std::string expected);
Result<void> update_fenced_blocking(StatementScope& scope, const FencedUpdate& update,
                                    const std::string& expected);

// Reads the token, then swaps; gives back the token that it found. Errc::not_found: no such row.
// Somebody may get in between. Outside of a transaction, or in one at READ COMMITTED, that is a
// failed condition; in one at REPEATABLE READ or above it is a conflict, and run_transaction()
// runs it again.
Task<Result<std::string>> update_auto_fenced(StatementScope& scope, FencedUpdate update);
Result<std::string> update_auto_fenced_blocking(StatementScope& scope, const FencedUpdate& update);

}  // namespace forebay::postgres
