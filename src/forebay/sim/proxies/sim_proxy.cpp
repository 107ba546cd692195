#include "forebay/sim/proxies/sim_proxy.hpp"

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/proxy/link/link_connector.hpp"
#include "forebay/sim/tampering.hpp"

namespace forebay::sim {
namespace {

// As `forebay serve` when it ends.
constexpr Duration kLastTransactions = std::chrono::seconds(10);

proxy::RouteOptions route_options(const SimProxyParts& parts) {
  const ProxySpec& spec = parts.spec.proxy;
  proxy::RouteOptions options;
  options.pool = parts.pool;
  options.rules.pooling = spec.pooling;
  options.rules.on_session_state = spec.on_session_state;
  options.rules.most_statements = static_cast<std::size_t>(spec.most_statements);
  options.limits.query_wait = spec.query_wait;
  options.limits.query = spec.query_limit;
  options.limits.idle_in_transaction = spec.idle_limit;
  options.limits.client_write = spec.read_limit;
  return parts.tampering.route(std::move(options));
}

proxy::LinkTarget target() {
  proxy::LinkTarget target;
  target.places.emplace_back(WireServer::place());
  target.tls = proxy::LinkTls::disable;
  target.user = "app";
  target.database = "inn";
  return target;
}

postgres::ServerProfile profile(const DatabaseSpec& database) {
  postgres::ServerProfile profile = postgres::ServerProfile::postgresql();
  profile.can_cancel = database.heeds_cancels;
  return profile;
}

}  // namespace

// Clients have as long to log in as they wait for a server.
SimProxy::SimProxy(SimProxyParts parts)
    : side_(parts.side),
      name_(parts.spec.name),
      place_(place(parts.spec)),
      front_(side_.to_proxies(), parts.env.scheduler, name_),
      back_(side_.to_server(), parts.env.scheduler, name_),
      acquires_(parts.env.scheduler, parts.spec.proxy.query_wait, parts.waits),
      proxy_(parts.env, front_, parts.env.random, parts.spec.proxy.query_wait),
      scheduler_(parts.env.scheduler) {
  Tampering& tampering = parts.tampering;
  const proxy::LinkEnv links(scheduler_, tampering.way_to_server(back_, scheduler_),
                             parts.env.random);
  auto connector = tampering.links(std::make_unique<proxy::LinkConnector>(
      links, target(), tampering.profile(profile(parts.database))));
  proxy::RouteOptions options = route_options(parts);
  options.pool.observer = &tampering.observer(acquires_, scheduler_);
  auto made = std::make_unique<proxy::Route>(parts.env, std::move(connector), std::move(options),
                                             parts.sharing);
  route_ = made.get();
  proxy_.routes().add(std::move(made));
  tampering.note_route(*route_);
}

void SimProxy::listen() {
  const Result<StreamAddress> at = proxy_.listen(place_);
  FOREBAY_CHECK(at.has_value(), at.error().text());
}

Task<void> SimProxy::close() {
  co_await proxy_.close(deadline_after(scheduler_.now(), kLastTransactions));
}

void SimProxy::die() {
  acquires_.stop();
  front_.set_cut_off(true);
  back_.set_cut_off(true);
  side_.lose(name_);
}

void SimProxy::set_cut(bool is_cut) {
  back_.set_cut_off(is_cut);
  side_.set_cut(name_, is_cut);
}

std::string SimProxy::left_of_clients() const {
  const proxy::ProxyCounters clients = proxy_.statistics().clients();
  const PoolGauges gauges = route_->pool().gauges();
  if (clients.clients == 0 && clients.waiting == 0 && gauges.lent == 0) return {};
  return fmt::format("all clients have left, and it has {} of them; {}", clients.clients,
                     describe(gauges));
}

std::uint64_t SimProxy::stays() const { return proxy_.statistics().clients().stays; }

}  // namespace forebay::sim
