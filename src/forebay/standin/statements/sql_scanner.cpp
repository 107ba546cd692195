#include "forebay/standin/statements/sql_scanner.hpp"

#include <algorithm>
#include <utility>

#include "forebay/base/ascii_text.hpp"

namespace forebay::standin {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes of other letters than those of ASCII are letters, too.
constexpr bool begins_word(char c) {
  return (lower_case(c) >= 'a' && lower_case(c) <= 'z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

constexpr bool goes_on_in_word(char c) { return begins_word(c) || is_digit(c) || c == '$'; }

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

class Scanner {
 public:
  explicit Scanner(std::string_view sql) : sql_(sql) {}

  std::vector<SqlToken> scan() {
    while (skip_blanks()) take_token();
    return std::move(tokens_);
  }

 private:
  char at(std::size_t place) const { return place < sql_.size() ? sql_[place] : '\0'; }
  bool is_at(std::string_view text) const { return sql_.substr(place_).starts_with(text); }

  bool skip_blanks() {  // true: a token follows
    while (place_ < sql_.size()) {
      if (is_blank(at(place_))) {
        ++place_;
      } else if (is_at("--")) {
        place_ = std::min(sql_.find('\n', place_), sql_.size());
      } else if (is_at("/*")) {
        skip_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  // Comments within comments count.
  void skip_comment() {
    int open = 0;
    do {
      if (is_at("/*")) {
        ++open;
        place_ += 2;
      } else if (is_at("*/")) {
        --open;
        place_ += 2;
      } else {
        ++place_;
      }
    } while (open > 0 && place_ < sql_.size());
    place_ = std::min(place_, sql_.size());
  }

  void take_token() {
    const std::size_t begin = place_;
    const SqlTokenKind kind = take();
    tokens_.push_back({.kind = kind, .begin = begin, .end = place_});
  }

  SqlTokenKind take() {
    const char c = at(place_);
    if (begins_word(c)) return take_word();
    if (is_digit(c) || (c == '.' && is_digit(at(place_ + 1)))) return take_number();
    if (c == '\'') return take_text(false);
    if (c == '"') return take_quoted_name();
    if (c == '$') return take_dollar();
    ++place_;
    return SqlTokenKind::symbol;
  }

  SqlTokenKind take_word() {
    const std::size_t begin = place_;
    // E'x', B'x', X'x' and N'x' are texts.
    const char first = lower_case(at(begin));
    if (at(begin + 1) == '\'' && (first == 'e' || first == 'b' || first == 'x' || first == 'n')) {
      ++place_;
      return take_text(first == 'e');
    }
    while (goes_on_in_word(at(place_))) ++place_;
    return SqlTokenKind::word;
  }

  SqlTokenKind take_number() {
    while (is_digit(at(place_)) || begins_word(at(place_)) || at(place_) == '.') {
      const bool is_exponent = lower_case(at(place_)) == 'e';
      ++place_;
      if (is_exponent && (at(place_) == '+' || at(place_) == '-') && is_digit(at(place_ + 1)))
        ++place_;
    }
    return SqlTokenKind::number;
  }

  // Texts with only blanks and a line end between them are one, and of the first one's kind.
  SqlTokenKind take_text(bool has_escapes) {
    do {
      ++place_;
      while (place_ < sql_.size()) {
        const char c = at(place_++);
        if (has_escapes && c == '\\') {
          ++place_;
        } else if (c == '\'') {
          if (at(place_) != '\'') break;
          ++place_;
        }
      }
      place_ = std::min(place_, sql_.size());
    } while (goes_on_in_next_line());
    return SqlTokenKind::text;
  }

  bool goes_on_in_next_line() {
    std::size_t next = place_;
    bool has_line_end = false;
    while (next < sql_.size()) {
      if (is_blank(at(next))) {
        has_line_end |= at(next) == '\n' || at(next) == '\r';
        ++next;
      } else if (sql_.substr(next).starts_with("--")) {
        next = std::min(sql_.find('\n', next), sql_.size());
      } else {
        break;
      }
    }
    if (!has_line_end || at(next) != '\'') return false;
    place_ = next;
    return true;
  }

  SqlTokenKind take_quoted_name() {
    ++place_;
    while (place_ < sql_.size()) {
      if (at(place_++) != '"') continue;
      if (at(place_) != '"') break;
      ++place_;
    }
    return SqlTokenKind::quoted_name;
  }

  // $1, $$x$$, $tag$x$tag$, or a symbol.
  SqlTokenKind take_dollar() {
    const std::size_t begin = place_++;
    if (is_digit(at(place_))) {
      while (is_digit(at(place_))) ++place_;
      return SqlTokenKind::number;
    }
    std::size_t end = place_;
    if (begins_word(at(end)))
      while (goes_on_in_word(at(end)) && at(end) != '$') ++end;
    if (at(end) != '$') return SqlTokenKind::symbol;
    const std::string_view tag = sql_.substr(begin, end + 1 - begin);
    const std::size_t close = sql_.find(tag, end + 1);
    place_ = close == std::string_view::npos ? sql_.size() : close + tag.size();
    return SqlTokenKind::text;
  }

  const std::string_view sql_;
  std::size_t place_ = 0;
  std::vector<SqlToken> tokens_;
};

bool joins_sets(const SqlToken& token, std::string_view sql) {
  return is_word(token, sql, "union") || is_word(token, sql, "intersect") ||
         is_word(token, sql, "except");
}

}  // namespace

std::vector<SqlToken> scan_sql(std::string_view sql) { return Scanner(sql).scan(); }

std::string_view text_of(const SqlToken& token, std::string_view sql) {
  return sql.substr(token.begin, token.end - token.begin);
}

bool is_word(const SqlToken& token, std::string_view sql, std::string_view keyword) {
  return token.kind == SqlTokenKind::word && is_same_name(text_of(token, sql), keyword);
}

bool is_symbol(const SqlToken& token, std::string_view sql, char symbol) {
  return token.kind == SqlTokenKind::symbol && sql[token.begin] == symbol;
}

std::string unquoted(std::string_view text) {
  if (text.size() < 2) return "";
  const char quote = text.front();
  text = text.substr(1, text.size() - 2);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    plain += text[i];
    if (text[i] == quote) ++i;  // the first of two
  }
  return plain;
}

std::string name_of(const SqlToken& token, std::string_view sql) {
  const std::string_view text = text_of(token, sql);
  return token.kind == SqlTokenKind::quoted_name ? unquoted(text) : lower_case(text);
}

std::string without_comments(std::string_view sql, const std::vector<SqlToken>& tokens) {
  std::string bare(sql);
  std::size_t begin = 0;
  const auto blank_up_to = [&](std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (bare[i] != '\n') bare[i] = ' ';
  };
  for (const SqlToken& token : tokens) {
    blank_up_to(token.begin);
    begin = token.end;
  }
  blank_up_to(sql.size());
  return bare;
}

std::size_t nesting_of(const std::vector<SqlToken>& tokens, std::string_view sql) {
  struct Level {
    std::size_t run = 0;   // tokens since the last comma
    std::size_t sets = 0;  // a UNION has those before it inside, whatever commas they have
  };
  std::vector<Level> open(1);
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (const SqlToken& token : tokens) {
    const char symbol = token.kind == SqlTokenKind::symbol ? sql[token.begin] : '\0';
    if (symbol == ',' || symbol == ';') {
      depth -= open.back().run;
      open.back().run = 0;
      continue;
    }
    ++(joins_sets(token, sql) ? open.back().sets : open.back().run);
    deepest = std::max(deepest, ++depth);
    if (symbol == '(' || symbol == '[') {
      open.emplace_back();
    } else if ((symbol == ')' || symbol == ']') && open.size() > 1) {
      depth -= open.back().run + open.back().sets;
      open.pop_back();
    }
  }
  return deepest;
}

}  // namespace forebay::standin
