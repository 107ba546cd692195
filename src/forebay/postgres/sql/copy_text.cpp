// Escapes as PostgreSQL writes them: a backslash before a letter for control characters. It reads
// octal and hexadecimal escapes too, and never writes them.
#include "forebay/postgres/sql/copy_text.hpp"

#include <fmt/format.h>

namespace forebay::postgres {
namespace {

constexpr std::string_view kNull = "\\N";
// The n-th letter after a backslash stands for the n-th character.
constexpr std::string_view kLetters = "bfnrtv\\";
constexpr std::string_view kCharacters = "\b\f\n\r\t\v\\";

void append_escaped(std::string& chunk, std::string_view text) {
  for (;;) {
    const std::size_t plain = text.find_first_of(kCharacters);
    chunk += text.substr(0, plain);
    if (plain == std::string_view::npos) return;
    chunk += '\\';
    chunk += kLetters[kCharacters.find(text[plain])];
    text.remove_prefix(plain + 1);
  }
}

Result<std::optional<std::string>> parse_field(std::string_view text) {
  if (text == kNull) return std::optional<std::string>();
  std::string value;
  value.reserve(text.size());
  for (;;) {
    const std::size_t plain = text.find('\\');
    value += text.substr(0, plain);
    if (plain == std::string_view::npos) return std::optional(std::move(value));
    text.remove_prefix(plain + 1);
    const std::size_t letter = text.empty() ? std::string_view::npos : kLetters.find(text[0]);
    if (letter == std::string_view::npos) {
      return failure(Errc::invalid, "a backslash in a copied row stands for nothing known");
    }
    value += kCharacters[letter];
    text.remove_prefix(1);
  }
}

}  // namespace

void append_copy_fields(std::string& chunk, const CopyFields& fields) {
  bool is_first = true;
  for (const std::optional<std::string>& field : fields) {
    if (!is_first) chunk += '\t';
    is_first = false;
    if (field) {
      append_escaped(chunk, *field);
    } else {
      chunk += kNull;
    }
  }
  chunk += '\n';
}

Result<CopyFields> parse_copy_fields(std::string_view line) {
  if (!line.ends_with('\n')) return failure(Errc::invalid, "a copied row does not end its line");
  line.remove_suffix(1);
  CopyFields fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    Result<std::optional<std::string>> field = parse_field(line.substr(0, tab));
    if (!field) return failure(field.error());
    fields.push_back(std::move(*field));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

Result<void> detail::expect_fields(const CopyFields& fields, std::size_t count) {
  if (fields.size() == count) return {};
  return failure(
      Errc::invalid,
      fmt::format("a copied row has {} fields, and {} types were asked for", fields.size(), count));
}

Error detail::field_misfit(std::size_t field, const Error& reason) {
  return reason.with_text(fmt::format("field {} of a copied row: {}", field, reason.text()));
}

}  // namespace forebay::postgres
