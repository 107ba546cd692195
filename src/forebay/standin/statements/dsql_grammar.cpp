#include "forebay/standin/statements/dsql_grammar.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <utility>

#include "forebay/standin/statements/parameters.hpp"

namespace forebay::standin {
namespace {

using Tokens = std::span<const SqlToken>;

// How many tokens a statement begins with that are these words; a word with a question mark may be
// left out. None: they are not.
std::size_t words_at(Tokens tokens, std::string_view sql,
                     std::initializer_list<std::string_view> words) {
  std::size_t next = 0;
  for (std::string_view word : words) {
    const bool is_optional = word.ends_with('?');
    if (is_optional) word.remove_suffix(1);
    const bool is_there = next < tokens.size() && is_word(tokens[next], sql, word);
    if (!is_there && !is_optional) return 0;
    next += is_there ? 1 : 0;
  }
  return next;
}

bool is_name(const SqlToken& token) {
  return token.kind == SqlTokenKind::word || token.kind == SqlTokenKind::quoted_name;
}

bool is_plain_text(std::string_view text) {
  return text.size() >= 2 && text.front() == '\'' && text.back() == '\'';
}

std::optional<IamGrant> iam_grant_of(Tokens tokens, std::string_view sql) {
  const bool is_revoke = words_at(tokens, sql, {"aws", "iam", "revoke"}) > 0;
  if (!is_revoke && words_at(tokens, sql, {"aws", "iam", "grant"}) == 0) return std::nullopt;
  const bool is_whole = tokens.size() == 6 && is_name(tokens[3]) &&
                        is_word(tokens[4], sql, is_revoke ? "from" : "to") &&
                        is_plain_text(text_of(tokens[5], sql));
  if (!is_whole) return std::nullopt;
  return IamGrant{.is_revoke = is_revoke,
                  .role = name_of(tokens[3], sql),
                  .arn = unquoted(text_of(tokens[5], sql))};
}

void blank(std::string& sql, std::size_t begin, std::size_t end) {
  std::fill(sql.begin() + static_cast<std::ptrdiff_t>(begin),
            sql.begin() + static_cast<std::ptrdiff_t>(end), ' ');
}

void take_form(Tokens statement, std::string_view sql, PlainSql& plain) {
  if (statement.empty()) return;
  std::size_t words = words_at(statement, sql, {"create", "unique?", "index", "async"});
  if (words == 0) words = words_at(statement, sql, {"alter", "table", "async"});
  if (words > 0) {
    const SqlToken& async = statement[words - 1];
    blank(plain.sql, async.begin, async.end);
    plain.forms.push_back({.place = statement.front().begin, .iam_grant = std::nullopt});
    return;
  }
  std::optional<IamGrant> grant = iam_grant_of(statement, sql);
  if (!grant) return;
  // A statement that does nothing holds its place.
  static constexpr std::string_view kNothing = "SELECT";
  const std::size_t begin = statement.front().begin;
  blank(plain.sql, begin, statement.back().end);
  std::ranges::copy(kNothing, plain.sql.begin() + static_cast<std::ptrdiff_t>(begin));
  plain.forms.push_back({.place = begin, .iam_grant = std::move(grant)});
}

}  // namespace

PlainSql without_dsql_forms(std::string_view sql, const std::vector<SqlToken>& tokens) {
  PlainSql plain{.sql = std::string(sql), .forms = {}};
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    if (i < tokens.size() && !is_symbol(tokens[i], sql, ';')) continue;
    take_form(Tokens(tokens).subspan(begin, i - begin), sql, plain);
    begin = i + 1;
  }
  return plain;
}

std::string with_own_parameter(std::string_view statement) {
  std::string sql(statement);
  const std::vector<SqlToken> tokens = scan_sql(statement);
  std::size_t name = 0;
  for (const auto& words : {std::to_array<std::string_view>({"set", "local"}),
                            std::to_array<std::string_view>({"set", "session?"}),
                            std::to_array<std::string_view>({"reset", "?"}),
                            std::to_array<std::string_view>({"show", "?"})}) {
    name = words_at(tokens, statement, {words[0], words[1]});
    if (name > 0) break;
  }
  const bool is_own = name > 0 && name < tokens.size() && is_name(tokens[name]) &&
                      name_of(tokens[name], statement) == kOwnParameter;
  if (is_own) sql.insert(tokens[name].begin, kOwnPrefix);
  return sql;
}

}  // namespace forebay::standin
