// StandinOptions: the limits and rules of a stand-in. The defaults are Aurora DSQL's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/standin/access/role_mappings.hpp"
#include "forebay/standin/access/token_check.hpp"
#include "forebay/standin/statements/rule_book.hpp"

namespace forebay::standin {

struct StandinOptions {
  StandinOptions() = default;

  // At the door.
  double connects_per_second = 100;
  int connect_burst = 1'000;
  std::optional<int> max_sessions = 10'000;  // nothing: no cap
  bool failed_attempts_pay = true;           // nobody knows; see docs/standin.md
  Duration session_age = std::chrono::minutes(60);
  bool may_transaction_finish = true;  // of a session that is too old
  Duration log_in_limit = std::chrono::seconds(30);
  std::vector<std::string> names;  // that clients may ask for by SNI
  TokenRealm realm;
  RoleMappings* mappings = nullptr;  // outlives the stand-in. REQUIRES: one, if keys have ARNs

  RuleBook rules;
  bool has_schema_conflicts = true;  // sessions hear of each other's DDL by OC001
  std::vector<std::string> chaos;    // commands for Chaos, from the start on
};

struct StandinCounters {
  StandinCounters() = default;
  int sessions = 0;  // at the door's count
  std::uint64_t accepted = 0;
  std::uint64_t over_rate = 0;
  std::uint64_t over_cap = 0;
  std::uint64_t denied = 0;   // tokens, names, databases, settings
  std::uint64_t too_old = 0;  // sessions that were cut
};

}  // namespace forebay::standin
