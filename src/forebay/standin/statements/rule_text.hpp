// The rules for people: as lines of a terminal, and as tables of the documentation.
#pragma once

#include <string>

#include "forebay/standin/statements/rule_book.hpp"

namespace forebay::standin {

// What `forebay standin rules` prints: one line each with name, state, code, words and source.
std::string rule_listing(const RuleBook& book);

// All that there are, whatever the day, in Markdown.
std::string rule_tables();

}  // namespace forebay::standin
