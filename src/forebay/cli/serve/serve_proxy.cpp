#include "forebay/cli/serve/serve_proxy.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/coordination/start_delay.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/task_group.hpp"

namespace forebay::cli {
namespace {

// For transactions to end, once nobody is let in any more.
constexpr Duration kLastTransactions = std::chrono::seconds(10);

// Of a pool that cannot be filled a line is added to what is wrong already.
Task<void> fill(proxy::Route& route, bool is_only, std::string& wrong) {
  Pool& pool = route.pool();
  if (route.options().pool.initial_failure == InitialFailure::keep_trying) {
    co_await pool.start();
    co_return;
  }
  const Result<bool> filled = co_await pool.start_or_fail();
  if (filled) co_return;
  if (!wrong.empty()) wrong += '\n';
  wrong += is_only ? filled.error().text()
                   : fmt::format("route {}: {}", pool.name(), filled.error().text());
}

}  // namespace

Result<std::unique_ptr<ServeProxy>> ServeProxy::open(Runtime& runtime,
                                                     const ProxyConfiguration& configuration) {
  std::unique_ptr<ServeProxy> made(new ServeProxy(runtime, configuration));
  Result<void> started = made->start(configuration);
  if (!started) {
    made->close();
    return failure(std::move(started).error());
  }
  return made;
}

ServeProxy::ServeProxy(Runtime& runtime, const ProxyConfiguration& configuration)
    : runtime_(runtime),
      proxy_(runtime.env(), runtime.streams(), runtime.secure_random(),
             configuration.log_in_limit) {}

ServeProxy::~ServeProxy() { close(); }

Result<void> ServeProxy::start(const ProxyConfiguration& configuration) {
  Result<std::vector<PlannedRoute>> planned = plan_routes(configuration.routes);
  if (!planned) return failure(std::move(planned).error());
  routes_ = std::move(*planned);
  Duration delay{};
  for (PlannedRoute& route : routes_) {
    if (Result<void> added = add_route(route); !added) return added;
    delay = std::max(delay, route.configuration.start_delay);
  }
  run_blocking(runtime_.scheduler(), delay_start(runtime_.env(), delay));
  if (Result<void> filled = run_blocking(runtime_.scheduler(), fill_pools()); !filled)
    return filled;
  return run_blocking(runtime_.scheduler(), listen(configuration.listen));
}

Result<void> ServeProxy::add_route(PlannedRoute& route) {
  Result<PoolSharing> sharing = servers_.join(runtime_, route.configuration);
  if (!sharing) return failure(std::move(sharing).error());
  const proxy::LinkEnv env(runtime_.scheduler(), runtime_.streams(), runtime_.secure_random(),
                           route.tls.get());
  auto connector =
      std::make_unique<proxy::LinkConnector>(env, route.target, route.profile, route.link);
  proxy_.routes().add(std::make_unique<proxy::Route>(runtime_.env(), std::move(connector),
                                                     route.options, std::move(*sharing)));
  return {};
}

// All at once: each may have to wait for its server.
Task<Result<void>> ServeProxy::fill_pools() {
  std::string wrong;
  TaskGroup filling(runtime_.scheduler());
  const auto& routes = proxy_.routes().all();
  for (const auto& route : routes) filling.spawn(fill(*route, routes.size() == 1, wrong));
  co_await filling.join();
  if (!wrong.empty()) co_return failure(Errc::refused, wrong);
  co_return Result<void>();
}

Task<Result<void>> ServeProxy::listen(const std::vector<StreamAddress>& places) {
  for (const StreamAddress& place : places) {
    const Result<StreamAddress> at = proxy_.listen(place);
    if (!at) co_return failure(at.error());
    listening_.push_back(*at);
  }
  co_return Result<void>();
}

ServeSample ServeProxy::look(Instant begun) {
  return run_blocking(runtime_.scheduler(), look_here(begun));
}

Task<ServeSample> ServeProxy::look_here(Instant begun) {
  ServeSample sample;
  sample.at = runtime_.scheduler().now() - begun;
  sample.proxy = proxy_.statistics();
  co_return sample;
}

void ServeProxy::close() {
  if (is_closed_) return;
  is_closed_ = true;
  run_blocking(runtime_.scheduler(),
               proxy_.close(deadline_after(runtime_.scheduler().now(), kLastTransactions)));
}

std::string ServeProxy::place() const {
  if (routes_.size() == 1) return routes_.front().place();
  std::vector<std::string> servers;
  for (const PlannedRoute& route : routes_)
    if (std::ranges::find(servers, route.server) == servers.end()) servers.push_back(route.server);
  return servers.size() == 1 ? servers.front() : fmt::format("{} servers", servers.size());
}

std::string ServeProxy::listen_text() const {
  std::string text;
  for (const StreamAddress& place : listening_) {
    if (!text.empty()) text += " and ";
    text += place.text();
  }
  return text;
}

std::uint16_t ServeProxy::port() const {
  for (const StreamAddress& place : listening_)
    if (!place.is_unix_socket()) return place.port();
  return 0;
}

// A Unix socket is found by libpq if its name is as PostgreSQL's.
std::string ServeProxy::client_url() const {
  const PlannedRoute& route = routes_.front();
  const bool is_for_any = route.options.database == "*";
  const std::string& database = is_for_any ? route.target.database : route.options.database;
  const std::string& user = route.options.user == "*" ? route.target.user : route.options.user;
  for (const StreamAddress& place : listening_) {
    if (place.is_unix_socket()) continue;
    return fmt::format("postgresql://{}@{}/{}?sslmode=disable", user, place.text(), database);
  }
  const std::string& path = listening_.front().path();
  const std::size_t name = path.rfind("/.s.PGSQL.");
  if (name == std::string::npos) return path;
  return fmt::format("host={} port={} user={} dbname={}", path.substr(0, name),
                     path.substr(name + 10), user, database);
}

}  // namespace forebay::cli
