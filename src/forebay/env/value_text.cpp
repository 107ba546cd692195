#include "forebay/env/value_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/number_text.hpp"
#include "forebay/base/suggestion.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay {

ReadValue<bool> bool_value(std::string_view word) {
  static constexpr std::array<std::string_view, 5> kTrue{"true", "yes", "on", "t", "1"};
  static constexpr std::array<std::string_view, 5> kFalse{"false", "no", "off", "f", "0"};
  const auto is_word = [word](std::string_view known) { return is_same_name(known, word); };
  if (std::ranges::any_of(kTrue, is_word)) return true;
  if (std::ranges::any_of(kFalse, is_word)) return false;
  return std::unexpected(fmt::format("{} is neither true nor false", shown(word)));
}

ReadValue<int> whole_value(std::string_view word, int least, int most) {
  const std::optional<std::int64_t> number = parse_number<std::int64_t>(word);
  if (!number)
    return std::unexpected(fmt::format("{} is not a whole number; write it like 50", shown(word)));
  if (*number < least || *number > most)
    return std::unexpected(fmt::format("{} is not between {} and {}", *number, least, most));
  return static_cast<int>(*number);
}

ReadValue<double> number_value(std::string_view word) {
  const std::optional<double> number = parse_number<double>(word);
  if (number) return *number;
  return std::unexpected(fmt::format("{} is not a number; write it like 0.5", shown(word)));
}

ReadValue<Duration> time_value(std::string_view word) {
  const std::optional<Duration> time = parse_duration(word);
  if (time) return *time;
  return std::unexpected(fmt::format(
      "{} is not a time; write it with its unit, like 250ms, 5s, 1m30s or 2h", shown(word)));
}

ReadValue<std::size_t> choice_value(std::string_view word, const std::vector<std::string>& words) {
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  return std::unexpected(fmt::format("{} is unknown{}", shown(word), suggestion(word, words)));
}

ReadValue<std::vector<std::string>> names_value(std::string_view word) {
  std::vector<std::string> names;
  while (!trimmed(word).empty()) {
    const std::size_t end = std::min(word.find(','), word.size());
    const std::string_view name = trimmed(word.substr(0, end));
    if (name.empty()) return std::unexpected("must be names with commas between them (f, app.g)");
    names.emplace_back(name);
    word.remove_prefix(std::min(end + 1, word.size()));
  }
  return names;
}

}  // namespace forebay
