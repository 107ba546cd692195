#include "forebay/proxy/proxy.hpp"

#include <map>

#include "forebay/base/log.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::proxy {

namespace {
constexpr Duration kPauseWithoutDescriptors = std::chrono::milliseconds(100);
constexpr Duration kLook = std::chrono::milliseconds(10);
constexpr Duration kLastWait = std::chrono::seconds(10);
}  // namespace

Proxy::Proxy(Env env, StreamNetwork& network, Random& secret, Duration log_in_limit)
    : env_(env),
      network_(network),
      cancels_(secret),
      around_{env_, routes_, cancels_, counters_, log_in_limit},
      doors_(env.scheduler),
      flows_(env.scheduler) {}

Proxy::~Proxy() = default;

Result<StreamAddress> Proxy::listen(const StreamAddress& at) {
  Result<std::unique_ptr<StreamListener>> listener = network_.listen(at);
  if (!listener) return failure(std::move(listener).error());
  listeners_.push_back(std::move(*listener));
  doors_.spawn(let_in(*listeners_.back()));
  return listeners_.back()->address();
}

Task<void> Proxy::let_in(StreamListener& listener) {
  for (;;) {
    Result<std::unique_ptr<ByteStream>> stream = co_await listener.accept(kNever);
    if (stream) {
      flows_.spawn(serve(std::move(*stream)));
      continue;
    }
    if (stream.error().code() == Errc::closed) co_return;
    log::warning("Clients cannot be let in", {log::field("address", listener.address().text()),
                                              log::field("reason", stream.error().text())});
    co_await sleep_for(env_.scheduler, kPauseWithoutDescriptors);
  }
}

Task<void> Proxy::serve(std::unique_ptr<ByteStream> stream) {
  ClientFlow client(around_, std::move(stream));
  clients_.push_back(client);
  co_await client.run();
  clients_.erase(client);
}

Task<void> Proxy::close(Instant deadline) {
  for (const auto& listener : listeners_) listener->close();
  co_await doors_.join();
  for (ClientFlow* each = clients_.front(); each != nullptr; each = clients_.next(*each))
    each->ask_to_leave();
  while (!clients_.empty() && env_.scheduler.now() < deadline)
    co_await sleep_for(env_.scheduler, kLook);
  for (ClientFlow* each = clients_.front(); each != nullptr; each = clients_.next(*each))
    each->hang_up();
  co_await flows_.join();
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
