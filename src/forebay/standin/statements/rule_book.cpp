#include "forebay/standin/statements/rule_book.hpp"

#include <algorithm>
#include <utility>

#include "forebay/detail/base/check.hpp"

namespace forebay::standin {
namespace {

// "datatype <type> not supported" and {"money"}.
std::string filled(std::string_view text, RuleBook::Values values) {
  std::string whole;
  for (const std::string_view value : values) {
    const std::size_t begin = text.find('<');
    const std::size_t end = text.find('>', begin);
    if (end == std::string_view::npos) break;
    whole += text.substr(0, begin);
    whole += value;
    text.remove_prefix(end + 1);
  }
  whole += text;
  return whole;
}

}  // namespace

RuleBook::RuleBook(std::string date, std::set<std::string> off, TransactionLimits limits)
    : date_(std::move(date)), off_(off.begin(), off.end()), limits_(limits) {
  for (const std::string& name : off_) FOREBAY_CHECK(has(name), name);
}

bool RuleBook::has(std::string_view name) {
  return std::ranges::any_of(rule_groups(), [&](const RuleGroup& group) {
    return std::ranges::find(group.rules, name, &Rule::name) != group.rules.end();
  });
}

std::optional<Refusal> RuleBook::refusal(std::string_view name, Values values,
                                         Values of_detail) const {
  FOREBAY_CHECK(has(name), name);
  if (is_off(name)) return std::nullopt;
  for (const RuleGroup& group : rule_groups()) {
    for (const Rule& rule : group.rules) {
      if (rule.name != name || !holds(rule)) continue;
      return Refusal{.sqlstate = std::string(rule.sqlstate),
                     .message = filled(rule.message, values),
                     .detail = filled(rule.detail, of_detail),
                     .hint = std::string(rule.hint),
                     .rule = std::string(name)};
    }
  }
  return std::nullopt;
}

}  // namespace forebay::standin
