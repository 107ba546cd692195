// PlannedRoute: a route of which everything is known that can be without a connection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/config/proxy_configuration.hpp"
#include "forebay/env/tls.hpp"
#include "forebay/postgres/driver/server_profile.hpp"
#include "forebay/proxy/link/link_connector.hpp"
#include "forebay/proxy/route.hpp"

namespace forebay::cli {

struct PlannedRoute {
  PlannedRoute() = default;

  Configuration configuration;  // completed
  proxy::RouteOptions options;
  proxy::LinkTarget target;
  proxy::LinkSettings link;
  postgres::ServerProfile profile;
  std::unique_ptr<TlsClient> tls;  // null: it needs none
  std::string server;              // "db.example:5432"

  std::string place() const { return server + "/" + target.database; }  // without who and how
};

// Errc::invalid says everything that is wrong with any of them, one line each. Reads the files of
// certificates.
Result<std::vector<PlannedRoute>> plan_routes(const std::vector<RouteConfiguration>& routes);

}  // namespace forebay::cli
