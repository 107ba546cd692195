// What a PostgreSQL needs before a stand-in is put in front of it.
//
// Limits on rows and bytes of a transaction are kept in the database, by triggers: only it knows
// how many rows a statement changes before it has committed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "forebay/standin/statements/rule_book.hpp"

namespace forebay::standin {

// For the superuser, in one simple query; again does no harm. What the schema sys needs, then the
// schema "standin" with the control functions, and the triggers.
std::string database_setup();

// What every session starts with: one isolation level, hardly a wait for a lock, UTC, the limits.
std::vector<std::pair<std::string, std::string>> session_settings(const RuleBook& rules);

}  // namespace forebay::standin
