// Route: where clients of one kind are served: a pool of links to one database, and the rules of
// their sessions.
//
// Confined to its loop; outlives its clients.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forebay/pool/pool.hpp"
#include "forebay/proxy/proxy_options.hpp"
#include "forebay/proxy/session/client_session.hpp"

namespace forebay::proxy {

struct RouteOptions {
  RouteOptions() = default;
  std::string database = "*";  // what clients must ask for; "*": anything
  PoolOptions pool;
  SessionRules rules;
  ClientLimits limits;
};

class Route {
 public:
  Route(Env env, std::unique_ptr<Connector> connector, RouteOptions options, PoolSharing sharing);
  Route(const Route&) = delete;
  Route& operator=(const Route&) = delete;

  const RouteOptions& options() const { return options_; }
  Pool& pool() { return pool_; }
  const SessionShared& shared() const { return shared_; }
  const SessionCounters& counters() const { return counters_; }

  // What a server of this route says of itself when a session begins. The first caller fetches it.
  Task<Result<const Parameters*>> greeting(Until until);

 private:
  const RouteOptions options_;
  std::unique_ptr<Connector> connector_;
  Pool pool_;
  StatementTexts texts_;
  StartMemory starts_;
  SessionCounters counters_;
  const SessionShared shared_;
  std::optional<Parameters> greeting_;
};

}  // namespace forebay::proxy
