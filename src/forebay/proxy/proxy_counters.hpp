// What a proxy has done so far, and what it does now. Confined to its loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/pool/statistics.hpp"
#include "forebay/proxy/session/session_rules.hpp"

namespace forebay::proxy {

// Of the clients of a route, or of those whose route is not known.
struct ProxyCounters {
  std::uint64_t clients_total = 0;
  std::uint64_t logins = 0;
  std::uint64_t refused = 0;   // who was not let in
  std::uint64_t stays = 0;     // times that a server was given to a client
  std::uint64_t waits = 0;     // of them, after standing in line
  std::uint64_t unserved = 0;  // units that got an error instead of a server
  std::uint64_t cancels = 0;   // requests that were passed on
  std::uint64_t servers_lost = 0;
  std::uint64_t clients_lost = 0;  // who went without a goodbye
  std::int64_t clients = 0;
  std::int64_t waiting = 0;
};

void add(ProxyCounters& sum, const ProxyCounters& more);

struct RouteStatistics {
  RouteStatistics() = default;
  std::string name;  // of its pool
  ProxyCounters clients;
  SessionCounters sessions;
  std::int64_t pinned = 0;  // clients that keep their server beyond their transactions
  PoolStatistics pool;
};

struct ProxyStatistics {
  ProxyStatistics() = default;
  // Of those who have not said yet what they want, or were refused it.
  ProxyCounters strangers;
  std::vector<RouteStatistics> routes;

  ProxyCounters clients() const;  // all of them
};

}  // namespace forebay::proxy
