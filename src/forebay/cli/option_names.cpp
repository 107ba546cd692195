#include "forebay/cli/option_names.hpp"

#include <array>

namespace forebay::cli {
namespace {

struct Name {
  std::string_view in_pool;
  std::string_view on_command_line;
};
constexpr std::array<Name, 7> kNames{{{"max", "--connections"},
                                      {"target_ready", "--ready"},
                                      {"lifetime", "--lifetime"},
                                      {"guard_window", "--guard"},
                                      {"connect_rate", "--rate"},
                                      {"connect_burst", "--burst"},
                                      {"initial_fill_limit", "--fill-limit"}}};

bool is_in_name(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

std::string_view take(std::string_view& text, bool wants_name) {
  std::size_t size = 0;
  while (size < text.size() && is_in_name(text[size]) == wants_name) ++size;
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

std::string_view translated(std::string_view word) {
  for (const Name& name : kNames) {
    if (word == name.in_pool) return name.on_command_line;
  }
  return word;
}

std::string translate_all(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    result += take(text, false);
    result += translated(take(text, true));
  }
  return result;
}

// "(--lifetime 5 s, lifetime_jitter 0 us)" says nothing with its second item to somebody who cannot
// set it.
std::string without_foreign_items(std::string_view list) {
  std::string kept;
  while (!list.empty()) {
    const std::size_t comma = list.find(", ");
    const std::string_view item = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 2);
    if (item.contains('_')) continue;
    if (!kept.empty()) kept += ", ";
    kept += item;
  }
  return kept;
}

}  // namespace

std::string in_words_of_command_line(std::string_view problem) {
  std::string text = translate_all(problem);
  const std::size_t open = text.rfind(" (");
  if (open == std::string::npos || !text.ends_with(')')) return text;
  const std::string list =
      without_foreign_items(std::string_view(text).substr(open + 2, text.size() - open - 3));
  text.resize(open);
  if (!list.empty()) text.append(" (").append(list).append(")");
  return text;
}

}  // namespace forebay::cli
