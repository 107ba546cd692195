// RuleBook: what is refused on a given day, and which of it is switched off.
//
// A value: to change it, make another. Those who ask name a rule; a name that no rule has is a bug.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "forebay/env/time.hpp"
#include "forebay/standin/statements/refusal.hpp"
#include "forebay/standin/statements/rule.hpp"

namespace forebay::standin {

// What we know of DSQL is of this day; later dates give the same rules.
inline constexpr std::string_view kRulesKnownOn = "2026-11-15";
// General availability. What was refused before is not known well enough.
inline constexpr std::string_view kRulesKnownSince = "2025-05-27";

struct TransactionLimits {
  std::int64_t rows = 3000;
  std::int64_t mebibytes = 10;
  Duration age = std::chrono::seconds(300);
};

class RuleBook {
 public:
  RuleBook() = default;  // all rules that hold today
  // REQUIRES: the date reads 2026-02-03, and the names are those of rules.
  RuleBook(std::string date, std::set<std::string> off, TransactionLimits limits);

  const std::string& date() const { return date_; }
  const TransactionLimits& limits() const { return limits_; }

  static bool has(std::string_view name);
  bool holds(const Rule& rule) const { return rule.holds_on(date_); }
  bool is_off(std::string_view name) const { return off_.contains(name); }

  using Values = std::initializer_list<std::string_view>;
  // In a rule's words, with values in the places of its message and of its detail, in order.
  // Nothing: it is off, or does not hold on that day.
  std::optional<Refusal> refusal(std::string_view name, Values values = {},
                                 Values of_detail = {}) const;

 private:
  std::string date_{kRulesKnownOn};
  std::set<std::string, std::less<>> off_;
  TransactionLimits limits_;
};

}  // namespace forebay::standin
