#include "forebay/standin/statements/rule_text.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace forebay::standin {
namespace {

std::string_view state_of(const Rule& rule, const RuleBook& book) {
  if (!book.holds(rule)) return rule.since > book.date() ? "later" : "past";
  return book.is_off(rule.name) ? "off" : "on";
}

std::string days_of(const Rule& rule) {
  if (!rule.since.empty() && !rule.until.empty())
    return fmt::format("{} to {}", rule.since, rule.until);
  if (!rule.since.empty()) return fmt::format("since {}", rule.since);
  return rule.until.empty() ? "" : fmt::format("until {}", rule.until);
}

std::string words_of(const Rule& rule) {
  return rule.detail.empty() ? std::string(rule.message)
                             : fmt::format("{} (detail: {})", rule.message, rule.detail);
}

}  // namespace

std::string rule_listing(const RuleBook& book) {
  std::size_t widest = 0;
  for (const RuleGroup& group : rule_groups()) {
    for (const Rule& rule : group.rules) widest = std::max(widest, rule.name.size());
  }
  std::string text = fmt::format("Rules of {}\n", book.date());
  for (const RuleGroup& group : rule_groups()) {
    text += fmt::format("\n{}\n", group.title);
    for (const Rule& rule : group.rules) {
      const std::string days = days_of(rule);
      text += fmt::format("  {:<{}}  {:<5}  {}  {}  [{}, {}{}{}]\n", rule.name, widest,
                          state_of(rule, book), rule.sqlstate, words_of(rule), rule.source,
                          in_words(rule.certainty), days.empty() ? "" : ", ", days);
    }
  }
  return text;
}

std::string rule_tables() {
  std::string text;
  for (const RuleGroup& group : rule_groups()) {
    text += fmt::format("{}### {}\n\n", text.empty() ? "" : "\n", group.title);
    text += "| rule | refuses | code | text | source | date |\n|---|---|---|---|---|---|\n";
    for (const Rule& rule : group.rules) {
      text += fmt::format("| `{}` | {} | {} | `{}` | {}, {} | {} |\n", rule.name, rule.refuses,
                          rule.sqlstate, words_of(rule), in_words(rule.certainty), rule.source,
                          days_of(rule));
    }
  }
  return text;
}

}  // namespace forebay::standin
