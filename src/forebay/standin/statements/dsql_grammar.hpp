// What DSQL's grammar has and PostgreSQL's has not: CREATE INDEX ASYNC, ALTER TABLE ASYNC, AWS IAM
// GRANT and REVOKE. Found by tokens, and put such that PostgreSQL's parser can read the text, with
// everything else at its place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/standin/statements/judgement.hpp"
#include "forebay/standin/statements/sql_scanner.hpp"

namespace forebay::standin {

// A statement that is DSQL's own.
struct DsqlForm {
  std::size_t place = 0;              // of its first token
  std::optional<IamGrant> iam_grant;  // else it says ASYNC
};

struct PlainSql {
  std::string sql;  // as long as the original
  std::vector<DsqlForm> forms;
};

PlainSql without_dsql_forms(std::string_view sql, const std::vector<SqlToken>& tokens);

// SET, RESET or SHOW of a parameter that DSQL has and PostgreSQL has not, under a name that it
// takes. Other texts stay as they are.
std::string with_own_parameter(std::string_view statement);

}  // namespace forebay::standin
