#include "forebay/config/setting_reading.hpp"

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"
#include "forebay/base/suggestion.hpp"
#include "forebay/config/session_settings_text.hpp"

namespace forebay::config {
namespace {

using yaml::Field;

std::optional<std::string> words_of_group(const Field& field) {
  const auto pairs = field.pairs();
  if (!pairs) return std::nullopt;
  for (const auto& [name, value] : *pairs) {
    if (name.find_first_of("= \t\r\n") == std::string::npos) continue;
    field.refuse(fmt::format("{} is no name of a setting", shown(name)));
    return std::nullopt;
  }
  return session_settings_text(SessionSettings(pairs->begin(), pairs->end()));
}

std::optional<std::string> words_of_list(const Field& field) {
  std::string words;
  bool is_right = true;
  for (const Field& item : field.items()) {
    const std::optional<std::string_view> word = item.text("a text");
    is_right = is_right && word;
    if (!word) continue;
    if (word->contains(',')) {
      item.refuse("has a comma: write each of the list by itself");
      is_right = false;
    }
    words += fmt::format("{}{}", words.empty() ? "" : ", ", *word);
  }
  return is_right ? std::optional(words) : std::nullopt;
}

}  // namespace

std::optional<std::string> word_of(const Setting& setting, const Field& field) {
  if (setting.may_be_group() && field.is_group()) return words_of_group(field);
  if (setting.may_be_list() && field.is_list()) return words_of_list(field);
  const std::optional<std::string_view> word = field.text(setting.value.type);
  return word ? std::optional<std::string>(*word) : std::nullopt;
}

std::optional<std::string> problem_of(const Setting& setting, std::string_view word,
                                      Settings& settings) {
  std::optional<std::string> problem = setting.value.read(word, settings);
  const bool is_shown = setting.group() != "database" || parse_number<double>(word);
  if (!problem || is_shown) return problem;
  return fmt::format("the value (not shown) stands where {} is expected", setting.value.type);
}

}  // namespace forebay::config
