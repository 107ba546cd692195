// What becomes of a session between two users, and of the statements that it has seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace forebay {

// How a session is cleared before its next user gets it. An open transaction is rolled back in any
// case.
enum class ResetMode : std::uint8_t {
  // What the statements of the last user may have left, as their SQL shows, and nothing else.
  smart,
  always,  // everything, whatever was done
  never,   // nothing: by the word of an application that leaves nothing behind
};

// Statements that a connection has prepared by itself, so that the server parses them once.
enum class StatementCaching : std::uint8_t {
  off,        // only a PreparedStatement is prepared
  automatic,  // a text is prepared when it is sent for the second time
  eager,      // for the first
};

struct SessionOptions {
  ResetMode reset = ResetMode::smart;
  // With smart: functions of the application that leave nothing in a session, as they are called,
  // with a schema or without. One that is not named here may leave anything.
  std::vector<std::string> trusted_functions;
  StatementCaching statement_cache = StatementCaching::automatic;
  // Texts that a connection remembers, prepared or not; those not used for longest are forgotten.
  int statement_cache_size = 256;
};

}  // namespace forebay
