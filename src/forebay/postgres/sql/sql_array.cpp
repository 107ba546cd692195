// Reads what PostgreSQL writes and no more: quotes where they must be, a backslash only inside of
// them and only before a quote or itself. So an encoding whose letters have bytes that look like
// these (client_encoding SJIS, say) ends in an error and not in other elements.
#include "forebay/postgres/sql/sql_array.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace forebay::postgres {
namespace {

using detail::ElementText;

constexpr std::string_view kNullElement = "NULL";
// What ends an element, or would need quotes.
constexpr std::string_view kSpecial = "{},\"\\ \t\n\r\v\f";

bool is_null_word(std::string_view text) {
  return std::ranges::equal(text, kNullElement, [](char letter, char upper) {
    return letter == upper || letter == upper - 'A' + 'a';
  });
}

class ArrayReader {
 public:
  explicit ArrayReader(std::string_view text) : rest_(text) {}

  bool skip(char letter) {
    if (!rest_.starts_with(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool is_at_end() const { return rest_.empty(); }

  // "[0:2][-1:1]=", which stands before an array that does not begin with 1.
  bool skip_bounds() {
    if (!rest_.starts_with('[')) return true;
    const std::size_t end = rest_.find('=');
    const std::size_t other = rest_.find_first_not_of("[]:-0123456789");
    if (end == std::string_view::npos || other != end) return false;
    rest_.remove_prefix(end + 1);
    return true;
  }

  std::optional<ElementText> element() {
    if (rest_.starts_with('{')) return inner_array();
    if (skip('"')) return quoted();
    const std::size_t end = std::min(rest_.find_first_of(kSpecial), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    if (word.empty()) return std::nullopt;
    rest_.remove_prefix(end);
    if (word == kNullElement) return ElementText{};
    return ElementText{std::string(word), false};
  }

 private:
  // After the first quote.
  std::optional<ElementText> quoted() {
    std::string value;
    for (;;) {
      const std::size_t plain = rest_.find_first_of("\"\\");
      if (plain == std::string_view::npos) return std::nullopt;
      value += rest_.substr(0, plain);
      const bool is_end = rest_[plain] == '"';
      rest_.remove_prefix(plain + 1);
      if (is_end) return ElementText{std::move(value), false};
      if (!rest_.starts_with('"') && !rest_.starts_with('\\')) return std::nullopt;
      value += rest_[0];
      rest_.remove_prefix(1);
    }
  }

  // All of it, up to its own closing brace. What is wrong inside is noticed when that is read.
  std::optional<ElementText> inner_array() {
    int depth = 0;
    bool is_quoted = false;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      const char letter = rest_[at];
      if (is_quoted && letter == '\\') {
        ++at;
      } else if (letter == '"') {
        is_quoted = !is_quoted;
      } else if (!is_quoted && letter == '{') {
        ++depth;
      } else if (!is_quoted && letter == '}' && --depth == 0) {
        ElementText inner{std::string(rest_.substr(0, at + 1)), true};
        rest_.remove_prefix(at + 1);
        return inner;
      }
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

std::optional<std::vector<ElementText>> read_elements(std::string_view text) {
  ArrayReader reader(text);
  std::vector<ElementText> elements;
  if (!reader.skip_bounds() || !reader.skip('{')) return std::nullopt;
  if (reader.skip('}')) {
    if (!reader.is_at_end()) return std::nullopt;
    return elements;
  }
  do {
    std::optional<ElementText> element = reader.element();
    if (!element) return std::nullopt;
    elements.push_back(std::move(*element));
  } while (reader.skip(','));
  if (!reader.skip('}') || !reader.is_at_end()) return std::nullopt;
  return elements;
}

}  // namespace

Result<std::vector<ElementText>> detail::parse_array(std::string_view text) {
  std::optional<std::vector<ElementText>> elements = read_elements(text);
  if (!elements) {
    return not_a("an array (with commas, and in a client_encoding that has ASCII for itself)",
                 text);
  }
  return std::move(*elements);
}

void detail::append_element(std::string& array, const ElementText& element) {
  if (array.size() > 1) array += ',';
  if (!element.value) {
    array += kNullElement;
    return;
  }
  const std::string& value = *element.value;
  const bool needs_quotes =
      !element.is_array &&
      (value.empty() || is_null_word(value) || value.find_first_of(kSpecial) != std::string::npos);
  if (!needs_quotes) {
    array += value;
    return;
  }
  array += '"';
  for (const char letter : value) {
    if (letter == '"' || letter == '\\') array += '\\';
    array += letter;
  }
  array += '"';
}

std::unexpected<Error> detail::wrong_dimension(bool is_array) {
  return failure(Errc::invalid, is_array ? "an inner array, where the C++ type has a single value"
                                         : "a single value, where the C++ type has an inner array");
}

std::unexpected<Error> detail::element_misfit(std::size_t index, const Error& reason) {
  return failure(reason.with_text(fmt::format("element {}: {}", index, reason.text())));
}

}  // namespace forebay::postgres
