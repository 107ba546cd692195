// Judgement: what the stand-in makes of a text of SQL, statement by statement, before any of it
// runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/standin/statements/refusal.hpp"

namespace forebay::standin {

enum class StatementKind : std::uint8_t {
  select,
  dml,  // INSERT, UPDATE, DELETE, also inside a WITH; COPY FROM
  ddl,  // CREATE, ALTER, DROP, GRANT, REVOKE, COMMENT
  begin,
  commit,
  rollback,
  set,  // and RESET
  show,
  index_async,  // DDL that answers with a job
  iam_grant,    // AWS IAM GRANT and REVOKE, which counts as DDL
  other,
};

constexpr bool is_ddl(StatementKind kind) {
  return kind == StatementKind::ddl || kind == StatementKind::index_async ||
         kind == StatementKind::iam_grant;
}

// What only PostgreSQL's catalog can tell: to be asked before the statement, in its transaction. If
// the answer has a row, the statement is refused.
struct Guard {
  std::string sql;
  Refusal refusal;
};

// AWS IAM GRANT role TO 'arn'.
struct IamGrant {
  bool is_revoke = false;
  std::string role;
  std::string arn;
};

struct StatementJudgement {
  StatementKind kind = StatementKind::other;
  // What PostgreSQL is to run. It is the client's own text, but for what only DSQL knows.
  std::string sql;
  std::size_t begin = 0;  // where the client's text of it began: errors tell places in `sql`

  bool locks_rows = false;          // FOR UPDATE, FOR KEY SHARE: such rows count as written
  std::vector<std::string> writes;  // tables by name, with a schema where one is given

  std::optional<Refusal> refusal;
  std::vector<Guard> guards;

  // A job is noted by running this after the statement, in its transaction. It gives the one row
  // that DSQL answers the statement with: job_id. Empty: no job.
  std::string job_sql;
  std::optional<IamGrant> iam_grant;
  // The command that the answer names, where PostgreSQL would name another. Its rows are not shown.
  std::string tag;
};

struct Judgement {
  std::vector<StatementJudgement> statements;
  // False: the parser could not read the text. Then there is one statement, the whole text, and
  // PostgreSQL will say what is wrong with it, or know better.
  bool is_understood = true;
};

}  // namespace forebay::standin
