// What kind of statement it is, by the parser's word and, without one, by its first token.
#pragma once

#include <string_view>
#include <vector>

#include "forebay/standin/statements/judgement.hpp"
#include "forebay/standin/statements/sql_scanner.hpp"
#include "forebay/wire/sql_tree.hpp"

namespace forebay::standin {

StatementKind kind_of(const wire::SqlStatement& statement);
StatementKind kind_by_words(const std::vector<SqlToken>& tokens, std::string_view sql);

}  // namespace forebay::standin
