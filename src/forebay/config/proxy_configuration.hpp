// ProxyConfiguration: what forebay serve does, as a file, the environment and a command line say:
// where it listens, which clients it serves, and for each kind of them a pool of its own.
#pragma once

#include <string>
#include <vector>

#include "forebay/config/configuration.hpp"
#include "forebay/env/stream_address.hpp"
#include "forebay/proxy/proxy_options.hpp"
#include "forebay/proxy/session/session_rules.hpp"

namespace forebay {

struct RouteConfiguration {
  RouteConfiguration() = default;

  std::string path;      // in messages: "proxy.routes[1]"; empty: there is only this one
  std::string database;  // that clients ask for; "*": any; empty: the one that it leads to
  std::string user = "*";
  Configuration configuration;  // of its target, pool and cluster; its pool has the route's name
  bool is_named = false;        // the pool has a name of its own
  proxy::SessionRules rules;
  proxy::ClientLimits limits;
};

struct ProxyConfiguration {
  ProxyConfiguration() = default;

  std::vector<StreamAddress> listen;
  Duration log_in_limit{};
  std::vector<RouteConfiguration> routes;  // one at least
};

}  // namespace forebay
