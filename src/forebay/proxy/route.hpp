// Route: where clients of one kind are served: a pool of links to one database, and the rules of
// their sessions.
//
// Confined to its loop; outlives its clients.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forebay/pool/observer.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/proxy/proxy_counters.hpp"
#include "forebay/proxy/proxy_options.hpp"
#include "forebay/proxy/session/client_session.hpp"

namespace forebay::proxy {

struct RouteOptions {
  RouteOptions() = default;
  // Which clients it is for: what they ask for, and who they say they are; "*": anything.
  std::string database = "*";
  std::string user = "*";
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
  const SessionCounters& sessions() const { return counters_; }
  ProxyCounters& clients() { return clients_; }  // of this route
  // Who is told how clients wait for servers.
  const Observation& observation() const { return observation_; }

  // What a server of this route said of itself when its last session began. Null: none has begun.
  const Parameters* greeting() const { return greeting_ ? &*greeting_ : nullptr; }

 private:
  class GreetedConnector;
  void learn_greeting(const Parameters& reported);

  const RouteOptions options_;
  const Observation observation_;
  std::unique_ptr<Connector> connector_;
  Pool pool_;
  StatementTexts texts_;
  StartMemory starts_;
  SessionCounters counters_;
  ProxyCounters clients_;
  const SessionShared shared_;
  std::optional<Parameters> greeting_;
};

}  // namespace forebay::proxy
