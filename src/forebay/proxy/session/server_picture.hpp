// ServerPicture: what a session on a server carries, as far as those who use it one after the other
// must know. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "forebay/proxy/session/server_statements.hpp"
#include "forebay/wire/leftovers.hpp"
#include "forebay/wire/protocol/pending_answers.hpp"

namespace forebay::proxy {

// Parameters by name, as a server reported them, or as a client wants them.
using Parameters = std::map<std::string, std::string, std::less<>>;

struct ServerPicture {
  // The server has begun: this is what it reported.
  void begin(Parameters at_start) {
    defaults = at_start;
    reported = std::move(at_start);
  }
  // These were cleared, as the server's profile has it.
  void cleared(wire::Leftovers kinds);
  void forget_statements();

  Parameters reported;           // what the server said last of each parameter that it reports
  Parameters defaults;           // what it would say without any SET
  wire::PendingAnswers answers;  // what it owes
  wire::Leftovers leftovers;     // what must be cleared before somebody else may use the session

  // The rest is for ClientSession.
  Parameters applied;           // what was set for a client, of parameters that are not reported
  ServerStatements statements;  // under names of ours
  std::vector<std::string> borrowed_names;  // statements that may be there under a client's name
  std::uint64_t unnamed_there = 0;          // which unnamed statement; 0: none
  std::uint64_t fitted_for = 0;             // the clients whose parameters it has; 0: nobody knows
  std::uint64_t unit = 1;                   // grows with each Sync and Query
};

}  // namespace forebay::proxy
