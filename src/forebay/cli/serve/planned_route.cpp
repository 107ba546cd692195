#include "forebay/cli/serve/planned_route.hpp"

#include <fmt/format.h>

#include "forebay/env/real/openssl_tls.hpp"
#include "forebay/postgres/driver/server_limits.hpp"

namespace forebay::cli {
namespace {

std::string server_text(const postgres::ConnectionString& target) {
  return fmt::format("{}{}{}", target.host().empty() ? "libpq's default host" : target.host(),
                     target.port().empty() ? "" : ":", target.port());
}

// What libpq would be told for such a pool holds for links, too.
proxy::LinkSettings link_settings(const postgres::ServerProfile& profile, const PoolOptions& pool) {
  const postgres::LibpqSettings told = postgres::libpq_settings(profile, pool);
  proxy::LinkSettings settings;
  settings.server_notices_after = told.server_notices_after;
  settings.longest_work = told.longest_work;
  settings.give_up_after = told.give_up_after;
  settings.session_settings = told.session_settings;
  return settings;
}

Result<void> find_target(PlannedRoute& route) {
  const Result<postgres::ConnectionString> parsed = route.configuration.database.connection();
  if (!parsed) return failure(parsed.error());
  route.server = server_text(*parsed);
  route.profile = postgres::ServerProfile::for_host(parsed->host());
  Result<proxy::LinkTarget> target = proxy::link_target(*parsed);
  if (!target) return failure(std::move(target).error());
  route.target = std::move(*target);
  if (route.target.tls == proxy::LinkTls::disable) return {};
  Result<std::unique_ptr<TlsClient>> tls = real::make_tls_client(route.target.tls_options);
  if (!tls) return failure(std::move(tls).error());
  route.tls = std::move(*tls);
  return {};
}

Result<PlannedRoute> plan(const RouteConfiguration& given) {
  PlannedRoute route;
  route.configuration = given.configuration.completed();
  const OptionProblems wrong = problems(route.configuration);
  if (!wrong.empty()) return failure(invalid_options(wrong));
  if (Result<void> found = find_target(route); !found) return failure(std::move(found).error());
  PoolOptions& pool = route.configuration.pool;
  if (!given.is_named) pool.name = route.target.database;
  route.link = link_settings(route.profile, pool);
  route.options.pool = pool;
  route.options.database = given.database.empty() ? route.target.database : given.database;
  route.options.user = given.user;
  route.options.rules = given.rules;
  route.options.limits = given.limits;
  return route;
}

}  // namespace

Result<std::vector<PlannedRoute>> plan_routes(const std::vector<RouteConfiguration>& routes) {
  std::vector<PlannedRoute> planned;
  std::string wrong;
  for (const RouteConfiguration& each : routes) {
    Result<PlannedRoute> route = plan(each);
    if (route) {
      planned.push_back(std::move(*route));
      continue;
    }
    if (!wrong.empty()) wrong += '\n';
    if (!each.path.empty()) wrong += each.path + ": ";
    wrong += route.error().text();
  }
  if (!wrong.empty()) return failure(Errc::invalid, wrong);
  return planned;
}

}  // namespace forebay::cli
