// What a ClientSession is told when it is made: the rules of its route, what it shares with others,
// and how the client introduced itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace forebay::proxy {

class StatementTexts;
class StartMemory;

// How long a client keeps a server.
enum class Pooling : std::uint8_t {
  transaction,  // for a transaction
  session,      // until it ends
};

// What is done about session state that cannot follow a client from server to server.
enum class OnSessionState : std::uint8_t {
  pin,     // the server stays with the client
  refuse,  // the client hears an error
  allow,   // nothing: the state stays behind, and is cleared
};

struct SessionRules {
  SessionRules() = default;
  Pooling pooling = Pooling::transaction;
  OnSessionState on_session_state = OnSessionState::pin;
  std::size_t most_statements = 500;  // prepared at once on one server
};

// Why a client keeps its server.
enum class PinKind : std::uint8_t {
  listen,     // LISTEN
  temporary,  // a temporary table
  lock,       // an advisory lock of the session
  cursor,     // WITH HOLD
  prepare,    // PREPARE, in SQL
  set,        // SET of a parameter that the server does not report
  load,       // LOAD
};
inline constexpr std::size_t kPinKinds = static_cast<std::size_t>(PinKind::load) + 1;
std::string_view name(PinKind kind);

// What sessions did, for metrics.
struct SessionCounters {
  std::uint64_t pins = 0;                               // clients that began to keep their server
  std::array<std::uint64_t, kPinKinds> pins_by_kind{};  // a client may have several
  std::uint64_t refusals = 0;           // statements refused for their session state
  std::uint64_t parses_answered = 0;    // without the server
  std::uint64_t parses_added = 0;       // for statements that a server did not have
  std::uint64_t statements_closed = 0;  // to keep to most_statements
  std::uint64_t fits = 0;               // servers whose parameters had to be changed
};

// What the sessions of a route have in common. All of it outlives them.
struct SessionShared {
  SessionShared(const SessionRules& route_rules, StatementTexts& all_texts, StartMemory& all_starts,
                SessionCounters& all_counters)
      : rules(route_rules), texts(all_texts), starts(all_starts), counters(all_counters) {}

  const SessionRules& rules;
  StatementTexts& texts;
  StartMemory& starts;
  SessionCounters& counters;
};

// How a client introduced itself.
struct ClientStart {
  ClientStart() = default;
  // All of its start-up packet, in its order: user, database, options, application_name …
  std::vector<std::pair<std::string, std::string>> parameters;
  // What it will cancel with.
  std::uint32_t process = 0;
  std::string cancel_key;   // 4 to 256 bytes
  bool is_told_ok = false;  // the authentication has said Ok already
};

}  // namespace forebay::proxy
