// ProxySpec: what a scenario says of a service whose processes are proxies, and of their clients.
// StreamsSpec: of the streams between clients, proxies and the database.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/proxy/proxy_options.hpp"
#include "forebay/proxy/session/session_rules.hpp"

namespace forebay::sim {

// What clients ask for.
enum class ClientWork : std::uint8_t {
  transactions,  // one like the other: so many statements, so long
  anything,      // by chance: pipelines, errors, COPY, session state, and clients unlike each other
};

struct ProxySpec {
  int clients = 0;  // of each process; 0: its processes are no proxies
  proxy::Pooling pooling = proxy::SessionRules().pooling;
  proxy::OnSessionState on_session_state = proxy::SessionRules().on_session_state;
  int most_statements = static_cast<int>(proxy::SessionRules().most_statements);
  Duration query_wait = proxy::ClientLimits().query_wait;
  Duration query_limit = proxy::ClientLimits().query;
  Duration idle_limit = proxy::ClientLimits().idle_in_transaction;
  Duration read_limit = proxy::ClientLimits().client_write;
  ClientWork work = ClientWork::transactions;
  int statements = 1;  // of a transaction; 1: without BEGIN and COMMIT
  Duration statement_time = std::chrono::milliseconds(5);  // beside the answer time
  Duration think_time = std::chrono::milliseconds(200);    // between two transactions, at most
  int stay = 1000;  // transactions, on average, until a client leaves and comes back
  Duration until = Duration::max();  // of the run: they leave for good; max(): never
  double cancels = 0;                // fraction of long statements that are cancelled
  double hang_ups = 0;  // fraction of transactions in which the client is gone, at any byte

  bool operator==(const ProxySpec&) const = default;
};

struct StreamsSpec {
  Duration delay = std::chrono::microseconds(250);  // of each part that is written
  Duration spread{};                                // by which it is shorter or longer
  bool is_choppy = false;                           // reads and writes put through what they like
  int buffer = 16 * 1024;                           // bytes on their way, then writers wait

  bool operator==(const StreamsSpec&) const = default;
};

}  // namespace forebay::sim
