#include "forebay/proxy/proxy.hpp"

#include <map>

#include "forebay/env/sleep.hpp"

namespace forebay::proxy {

namespace {
constexpr Duration kLook = std::chrono::milliseconds(10);
constexpr Duration kLastWait = std::chrono::seconds(10);
}  // namespace

Proxy::Proxy(Env env, StreamNetwork& network, Random& secret, Duration log_in_limit)
    : env_(env),
      cancels_(secret),
      around_{env_, routes_, cancels_, counters_, log_in_limit},
      entrance_(env.scheduler, network,
                [this](std::unique_ptr<ByteStream> stream) { return serve(std::move(stream)); }) {}

Proxy::~Proxy() = default;

Result<StreamAddress> Proxy::listen(const StreamAddress& at) {
  Result<StreamAddress> listening = entrance_.listen(at);
  entrance_.open();
  return listening;
}

Task<void> Proxy::serve(std::unique_ptr<ByteStream> stream) {
  ClientFlow client(around_, std::move(stream));
  clients_.push_back(client);
  co_await client.run();
  clients_.erase(client);
}

Task<void> Proxy::close(Instant deadline) {
  co_await entrance_.close();
  for (ClientFlow* each = clients_.front(); each != nullptr; each = clients_.next(*each))
    each->ask_to_leave();
  while (!clients_.empty() && env_.scheduler.now() < deadline)
    co_await sleep_for(env_.scheduler, kLook);
  for (ClientFlow* each = clients_.front(); each != nullptr; each = clients_.next(*each))
    each->hang_up();
  co_await entrance_.join();
  for (const auto& route : routes_.all()) {
    bool is_gone = false;
    while (!is_gone) {
      is_gone = co_await route->pool().close(deadline_after(env_.scheduler.now(), kLastWait));
      if (!is_gone) route->pool().give_up();
    }
  }
}

ProxyStatistics Proxy::statistics() const {
  std::map<const Route*, std::int64_t> pinned;
  for (const ClientFlow* each = clients_.front(); each != nullptr; each = clients_.next(*each))
    pinned[each->route()] += each->is_pinned() ? 1 : 0;
  ProxyStatistics all;
  all.strangers = counters_;
  for (const auto& route : routes_.all()) {
    RouteStatistics& now = all.routes.emplace_back();
    now.name = route->pool().name();
    now.clients = route->clients();
    now.sessions = route->sessions();
    now.pinned = pinned[route.get()];
    now.pool = route->pool().statistics();
  }
  return all;
}

}  // namespace forebay::proxy
