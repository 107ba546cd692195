// Takes a text of SQL apart as PostgreSQL's lexer does, as far as is needed to know what stands in
// quotes and comments and what does not. Pure; any bytes will do. What is never closed ends with
// the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace forebay::standin {

enum class SqlTokenKind : std::uint8_t {
  word,         // a name or a keyword
  quoted_name,  // "x"
  text,         // 'x', E'x', $$x$$
  number,       // 1.5e3, $1
  symbol,       // one character of an operator or of punctuation
};

struct SqlToken {
  SqlTokenKind kind = SqlTokenKind::symbol;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Without blanks and comments.
std::vector<SqlToken> scan_sql(std::string_view sql);

std::string_view text_of(const SqlToken& token, std::string_view sql);
bool is_word(const SqlToken& token, std::string_view sql, std::string_view keyword);
bool is_symbol(const SqlToken& token, std::string_view sql, char symbol);

// What a name is called: in lower case, or as it stands in quotes.
std::string name_of(const SqlToken& token, std::string_view sql);
// REQUIRES: a plain 'x'. Two quotes within are one.
std::string unquoted(std::string_view text);

// The same text with blanks in place of comments: libpg-query takes them for tokens, and then does
// not see that NULLS FIRST, say, belongs together. Lines stay lines.
std::string without_comments(std::string_view sql, const std::vector<SqlToken>& tokens);

// How deep a parser may have to go, or more: the tokens of everything that is open at a place,
// where a comma begins anew. Chains of operators go as deep as they are long.
std::size_t nesting_of(const std::vector<SqlToken>& tokens, std::string_view sql);

}  // namespace forebay::standin
