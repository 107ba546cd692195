#include <array>

#include "forebay/standin/statements/rule.hpp"

namespace forebay::standin {

std::string_view in_words(Certainty certainty) {
  switch (certainty) {
    case Certainty::recorded: return "recorded";
    case Certainty::documented: return "documented";
    case Certainty::presumed: return "presumed";
  }
  return "";
}

std::span<const RuleGroup> rule_groups() {
  static const auto kGroups = std::to_array<RuleGroup>({
      {.title = "Statements", .rules = rules_of_statements()},
      {.title = "Transactions and sessions", .rules = rules_of_sessions()},
      {.title = "Queries", .rules = rules_of_queries()},
      {.title = "Tables, views and sequences", .rules = rules_of_tables()},
      {.title = "ALTER TABLE", .rules = rules_of_alterations()},
      {.title = "Indexes", .rules = rules_of_indexes()},
      {.title = "Sizes and numbers", .rules = rules_of_limits()},
  });
  return kGroups;
}

}  // namespace forebay::standin
