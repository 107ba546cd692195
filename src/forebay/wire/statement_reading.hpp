// StatementReading: what a text of SQL does to its session, read off its grammar before it runs.
//
// Reads with PostgreSQL's own parser. What it cannot read, a newer syntax say, and what it does not
// know, a function of the application say, counts as leaving everything. What no text shows is not
// seen: triggers, rules, defaults, operators, casts and views that call such functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/wire/leftovers.hpp"

namespace forebay::wire {

// One SET, RESET or set_config() that outlives its transaction.
struct SettingChange {
  std::string name;  // in lower case; empty: all of them, or one that only the server knows
  bool is_reset = false;
};

struct StatementReading {
  Leftovers leftovers;
  // One SELECT, INSERT, UPDATE, DELETE, MERGE or VALUES: worth being prepared.
  bool is_preparable = false;
  // The parser could read it.
  bool is_understood = false;
  // One statement, and no COPY: it can be sent together with others.
  bool is_single = false;
  // BEGIN, COMMIT, ROLLBACK or the like; not about savepoints.
  bool is_transaction_control = false;
  // One statement that runs in a failed transaction, too: COMMIT, ROLLBACK, ROLLBACK TO.
  bool is_transaction_exit = false;
  bool prepares = false;         // PREPARE
  bool loads = false;            // LOAD
  bool deallocates_all = false;  // DEALLOCATE ALL
  bool discards_all = false;     // DISCARD ALL
  std::vector<SettingChange> settings;
  std::vector<std::string> deallocates;  // the names, in order
  std::vector<std::string> executes;     // names of EXECUTE
};

// Functions that leave nothing, by the word of those who know them: as they are called, with a
// schema or without.
using TrustedFunctions = std::vector<std::string>;

StatementReading read_statement(const std::string& sql, const TrustedFunctions& trusted);

}  // namespace forebay::wire
