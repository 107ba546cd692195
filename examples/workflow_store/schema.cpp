#include "schema.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <string_view>
#include <utility>

#include <forebay/retry/attempts.hpp>

#include "schema_file.hpp"  // made by CMake: the text of schema.sql

namespace workflow {
namespace {

using namespace std::chrono_literals;
using forebay::failure;
using forebay::Result;
using forebay::postgres::PostgresPool;
using forebay::postgres::ServerProfile;

constexpr forebay::Duration kStatementTime = 30s;
// How PostgreSQL says that another process has just created the same: by the catalog's own unique
// index, or as a duplicate table (42P07) or type (42710).
constexpr std::array<std::string_view, 3> kAlreadyThere{"23505", "42P07", "42710"};

// The statements of a file, without comments and semicolons. It reads what stands in schema.sql: a
// comment has its line to itself, and a line that ends in a semicolon ends a statement.
std::vector<std::string> statements_of(const std::string& file) {
  std::vector<std::string> statements;
  std::string statement;
  std::istringstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("--")) continue;
    const bool is_last = line.ends_with(';');
    if (is_last) line.pop_back();
    statement += (statement.empty() ? "" : "\n") + line;
    if (is_last) statements.push_back(std::exchange(statement, {}));
  }
  return statements;
}

// PostgreSQL does not know the word ASYNC; its plain form is fine for a table that is empty.
std::string for_postgresql(std::string statement) {
  static constexpr std::string_view kForDsql = "CREATE INDEX ASYNC ";
  if (statement.starts_with(kForDsql)) statement.replace(0, kForDsql.size(), "CREATE INDEX ");
  return statement;
}

// A statement without BEGIN is a transaction of its own, and DSQL wants each DDL statement to be
// one. Others that change the catalog make it fail (OC001), and then it is run again.
Result<void> run_ddl(PostgresPool& pool, const std::string& statement) {
  const forebay::RetryOptions options("create_schema");
  forebay::Scheduler& scheduler = pool.env().scheduler;
  const forebay::Instant now = scheduler.now();
  forebay::AttemptBook book(options, pool.thread_random(), now + kStatementTime, now);
  const auto attempt = [&](int) -> Result<void> {
    auto session = pool.acquire_blocking(kStatementTime);
    if (!session) return failure(session.error());
    const auto done = (*session)->exec_blocking(statement, kStatementTime);
    // PostgreSQL's IF NOT EXISTS does not see what another process is about to create.
    if (done || std::ranges::find(kAlreadyThere, done.error().sqlstate()) != kAlreadyThere.end()) {
      return {};
    }
    return failure(done.error());
  };
  return forebay::run_attempts_blocking<void>(scheduler, book, attempt);
}

}  // namespace

std::vector<std::string> schema_statements(const ServerProfile& profile) {
  std::vector<std::string> statements = statements_of(kSchemaFile);
  if (profile.kind != forebay::ServerKind::dsql)
    std::ranges::transform(statements, statements.begin(), for_postgresql);
  return statements;
}

Result<void> create_schema(PostgresPool& pool, const ServerProfile& profile) {
  for (const std::string& statement : schema_statements(profile)) {
    const Result<void> done = run_ddl(pool, statement);
    if (!done) return failure(done.error());
  }
  return {};
}

}  // namespace workflow
