// A world with proxies: the shipping proxy, its routes, pools and links over simulated streams,
// between simulated clients and a simulated server. What is promised is checked after every event.
#pragma once

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/detail/env/detached.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/pool/observer.hpp"
#include "forebay/proxy/link/link_connector.hpp"
#include "forebay/proxy/proxy.hpp"
#include "forebay/sim/checks/promise_book.hpp"
#include "forebay/sim/trace.hpp"
#include "sim_proxy/proxy_plan.hpp"
#include "sim_proxy/proxy_tampering.hpp"

namespace forebay::sim {

class ProxyWorld final : private SimPostgresWatch, private SimClientWatch {
 public:
  explicit ProxyWorld(const ProxyPlan& plan, ProxyTampering& tampering)
      : plan_(plan),
        tampering_(tampering),
        random_(plan.seed),
        client_side_(plan.client_side, plan.seed + 1),
        server_side_(plan.server_side, plan.seed + 2),
        server_host_(server_side_, scheduler_, "db"),
        client_host_(client_side_, scheduler_, "clients"),
        server_(scheduler_, plan.seed + 3, *this),
        tasks_(scheduler_) {
    server_.listen(server_host_, kServer);
    if (plan_.seed % 2 == 0) scheduler_.set_tie_seed(plan_.seed);
    for (int i = 1; i <= plan_.proxies; ++i) instances_.emplace_back(*this, i);
    SimClientWatch& watch = *this;
    for (const SimClientOptions& options : plan_.clients) {
      clients_.push_back(std::make_unique<SimClient>(scheduler_, client_host_, options,
                                                     client_faults_, random_.next(), watch));
    }
    scheduler_.set_after_step([this] { check(); });
  }

  ProxyWorldResult run() {
    client_faults_ = plan_.client_faults;
    for (const auto& client : clients_) tasks_.spawn(client->run());
    spawn_faults();
    go_until(Instant(plan_.unquiet));
    heal();
    go_until(scheduler_.now() + plan_.healing);
    is_well_ = true;
    const std::vector<std::uint64_t> before = units_of_clients();
    go_until(scheduler_.now() + plan_.quiet);
    check_progress(before);
    end();
    return finish();
  }

 private:
  static inline const StreamAddress kServer = StreamAddress::tcp("db", 5432);
  static constexpr std::uint64_t kMostSteps = 20'000'000;

  // One proxy. Acquires are observed.
  struct Instance final : Observer {
    Instance(ProxyWorld& world, int number)
        : owner(world),
          name(number == 1 ? "proxy" : "proxy-" + std::to_string(number)),
          random(world.plan_.seed * 100 + static_cast<std::uint64_t>(number)),
          clock(world.scheduler_, WallTime()),
          front(world.client_side_, world.scheduler_, name),
          back(world.server_side_, world.scheduler_, name),
          server(Env{world.scheduler_, random, clock}, front, random, 3s) {
      const Env env{world.scheduler_, random, clock};
      const proxy::LinkEnv links(world.scheduler_,
                                 world.tampering_.way_to_server(back, world.scheduler_), random);
      auto connector = world.tampering_.connector(std::make_unique<proxy::LinkConnector>(
          links, target(), world.tampering_.profile(postgres::ServerProfile::postgresql())));
      proxy::RouteOptions options = world.plan_.route;
      options.pool = world.tampering_.pool(options.pool);
      options.pool.observer = this;
      auto made = std::make_unique<proxy::Route>(env, std::move(connector), std::move(options),
                                                 PoolSharing());
      route = made.get();
      server.routes().add(std::move(made));
      route->pool().launch();
      const auto at = server.listen(StreamAddress::tcp(name, 6432));
      FOREBAY_CHECK(at.has_value());
    }

    static proxy::LinkTarget target() {
      proxy::LinkTarget target;
      target.places.emplace_back(kServer);
      target.tls = proxy::LinkTls::disable;
      target.user = "app";
      target.database = "inn";
      return target;
    }

    void on_begin(const ObservedCall& call) noexcept override {
      acquires.emplace(call.id, owner.scheduler_.now());
    }
    void on_end(const ObservedCall& call, Duration, const Error* error) noexcept override {
      const std::uint64_t first = acquires.begin()->first;
      if (error == nullptr && first != call.id) overtaken.insert(first);
      if (error == nullptr && overtaken.contains(call.id)) {
        owner.broken(Promise::order, name + ": who came later was given a server first");
      }
      acquires.erase(call.id);
      overtaken.erase(call.id);
    }

    ProxyWorld& owner;
    const std::string name;
    SeededRandom random;
    SimWallClock clock;
    SimHost front;
    SimHost back;
    proxy::Proxy server;
    proxy::Route* route = nullptr;
    std::map<std::uint64_t, Instant> acquires;  // under way
    // Somebody who came later was served before them. They may just be leaving the line.
    std::set<std::uint64_t> overtaken;
    int sessions = 0;        // as the server counts
    Instant next_connect{};  // by the rate
    bool is_closed = false;
  };

  struct ServerSession {
    Instance* proxy = nullptr;
    Instant opened{};
    int last_client = 0;
  };

  // ---- what the server sees

  Instance& instance_at(const std::string& from) {
    for (Instance& each : instances_)
      if (from.starts_with(each.name + ":")) return each;
    FOREBAY_CHECK(false, from);
    return instances_.front();
  }

  std::string on_connect(std::uint32_t session, const std::string& from) override {
    Instance& proxy = instance_at(from);
    trace_.add(TraceEvent::connect, 0, scheduler_.now(), session);
    check_rate(proxy);
    if (server_.sessions() >= plan_.proxies * plan_.connections) {
      broken(Promise::cap, fmt::format("the server has no place for session {}", session));
      return "53300";
    }
    sessions_[session] = ServerSession{&proxy, scheduler_.now(), 0};
    ++proxy.sessions;
    result_.most_sessions = std::max(result_.most_sessions, server_.sessions() + 1);
    return {};
  }
  Duration up_to(Duration most) { return random_.between(Duration::zero(), most); }
  Duration connect_time() override { return up_to(plan_.most_connect); }
  Duration answer_time() override { return up_to(plan_.most_work); }
  Duration goodbye_time() override { return up_to(plan_.most_goodbye); }
  void on_ready(std::uint32_t session) override {
    trace_.add(TraceEvent::opened, 0, scheduler_.now(), session);
  }
  void on_end(std::uint32_t session) override {
    trace_.add(TraceEvent::ended, 0, scheduler_.now(), session);
    --sessions_[session].proxy->sessions;
    sessions_.erase(session);
  }

  // Nobody finds what another left, and nobody gets a session that is too old.
  void on_message(std::uint32_t session, char type, const std::string& sql, Instant) override {
    trace_.add(TraceEvent::taken, type, scheduler_.now(), session);
    const int client = marked_client(sql);
    if (client == 0) return;
    ServerSession& there = sessions_[session];
    const std::string state = server_.session(session)->state_text();
    if (has_mark_of_another(state, client)) {
      broken(Promise::clean, fmt::format("client {} is in a session with {}", client, state));
    }
    const PoolOptions& pool = plan_.route.pool;
    const Duration oldest = *pool.lifetime + pool.lifetime_jitter / 2 - pool.guard_window;
    const bool is_new_stay = there.last_client != client;
    const bool is_old = scheduler_.now() - std::max(there.opened, last_stall_) > oldest + 1s;
    if (is_new_stay && is_old && there.last_client != 0) {
      broken(Promise::freshness,
             fmt::format("client {} was given a session that was {} old", client,
                         readable_time(scheduler_.now() - there.opened)));
    }
    there.last_client = client;
  }

  void on_violation(std::uint32_t session, const std::string& what) override {
    broken(Promise::clean, fmt::format("session {}: {}", session, what));
  }
  void on_cancelled(std::uint32_t session, const std::string& sql) override {
    trace_.add(TraceEvent::fault, 1, scheduler_.now(), session);
    ++cancels_[sql];
    const int client = marked_client(sql);
    if (client == 0 || plan_.route.limits.query != Duration::max()) return;
    if (clients_[static_cast<std::size_t>(client - 1)]->may_be_cancelled(sql)) return;
    broken(Promise::clean, fmt::format("a cancel hit what it was not meant for: {}", sql));
  }

  // ---- what clients see

  void on_wrong(const SimClient& client, const std::string& what) override {
    broken(Promise::clean, fmt::format("client {}: {}", client.number(), what));
  }
  void on_lost(const SimClient& client, const std::string& why) override {
    trace_.add(TraceEvent::unserved, client.number(), scheduler_.now());
    ++result_.lost;
    ++result_.losses[why];
    const proxy::ClientLimits& limits = plan_.route.limits;
    const bool is_by_limit = limits.idle_in_transaction != Duration::max() ||
                             limits.client_write != proxy::ClientLimits().client_write;
    // Where servers are kept by others, it may get none to begin with.
    const bool is_unserved = why.starts_with("53300");
    const bool may_be = plan_.faults.may_cost_sessions() || is_by_limit || is_unserved;
    if (!may_be || (is_well_ && !is_by_limit && !is_unserved)) {
      broken(Promise::every_waiter_ends,
             fmt::format("client {} lost its session for nothing: {}", client.number(), why));
    }
  }
  void on_heard(const SimClient& client, char type, std::string_view body) override {
    std::uint64_t hash = static_cast<unsigned char>(type);
    for (const char letter : body)
      hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211u;
    trace_.add(TraceEvent::given_back, client.number(), scheduler_.now(), hash);
  }
  bool take_cancel(const std::string& sql) override {
    const auto found = cancels_.find(sql);
    if (found == cancels_.end()) return false;
    if (--found->second == 0) cancels_.erase(found);
    return true;
  }

  // ---- promises

  void broken(Promise promise, std::string what) {
    if (book_.is_clean()) broken_at_ = scheduler_.now();
    book_.note_broken(promise, 0, std::move(what));
  }

  // Connects leave at the rate, and arrive with what the network takes and gives.
  void check_rate(Instance& proxy) {
    const PoolOptions& pool = plan_.route.pool;
    const Duration interval(static_cast<std::int64_t>(1e9 / *pool.connect_rate));
    const Instant now = scheduler_.now();
    proxy.next_connect = std::max(proxy.next_connect, now) + interval;
    const Duration early = proxy.next_connect - now - interval * *pool.connect_burst;
    if (early <= 3 * plan_.server_side.most_delay) return;
    broken(Promise::rate, fmt::format("{}: a connect came {} too early for {} a second", proxy.name,
                                      duration_text(early), *pool.connect_rate));
  }

  void check() {
    if (!book_.is_clean() || is_ending_) return;
    for (Instance& proxy : instances_) {
      const PoolGauges gauges = proxy.route->pool().gauges();
      if (proxy.sessions > gauges.approved) {
        broken(Promise::cap, fmt::format("{}: the server counts {} sessions, the pool {}",
                                         proxy.name, proxy.sessions, describe(gauges)));
      }
      if (gauges.waiters > 0 && gauges.ready > 0)
        broken(Promise::never_blocks, fmt::format("{}: {}", proxy.name, describe(gauges)));
      if (!proxy.acquires.empty()) {
        const Duration waited = scheduler_.now() - proxy.acquires.begin()->second;
        if (waited > std::max<Duration>(3s, plan_.route.limits.query_wait)) {
          broken(Promise::every_waiter_ends, fmt::format("{}: somebody has waited {} for a server",
                                                         proxy.name, readable_time(waited)));
        }
      }
    }
    if (scheduler_.steps() % 64 == 0)
      for (Instance& proxy : instances_) proxy.route->pool().audit();
  }

  std::vector<std::uint64_t> units_of_clients() const {
    std::vector<std::uint64_t> units;
    for (const auto& client : clients_) units.push_back(client->units());
    return units;
  }

  void check_progress(const std::vector<std::uint64_t>& before) {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (clients_[i]->units() > before[i]) continue;
      const Instant since = clients_[i]->waiting_since();
      std::string state = since == kNever ? "waits for nothing" : "waits since ";
      if (since != kNever) state += readable_time(since.time_since_epoch());
      for (const Instance& proxy : instances_) {
        const proxy::ProxyCounters now = proxy.server.statistics().clients();
        state += fmt::format("; {}: {}, {} clients, {} wait", proxy.name,
                             describe(proxy.route->pool().gauges()), now.clients, now.waiting);
      }
      broken(Promise::supply,
             fmt::format("client {} got no answer for {} in a healthy world: it {}", i + 1,
                         readable_time(plan_.quiet), state));
    }
  }

  // ---- faults

  void spawn_faults() {
    const ProxyFaults& faults = plan_.faults;
    const auto add = [this](int count, void (ProxyWorld::*fault)()) {
      for (int i = 0; i < count; ++i) {
        const Instant at(random_.between(Duration(100ms), plan_.unquiet));
        tasks_.spawn(befall(at, fault));
      }
    };
    add(faults.kills, &ProxyWorld::kill_one);
    add(faults.terminations, &ProxyWorld::terminate_one);
    add(faults.stalls, &ProxyWorld::stall);
    add(faults.server_cuts, &ProxyWorld::cut_while_writing);
    add(faults.client_cuts, &ProxyWorld::cut_client_wire);
    add(faults.silences, &ProxyWorld::silence_client_wire);
    add(faults.vanishings, &ProxyWorld::let_vanish);
    for (int i = 0; i < faults.restarts; ++i) {
      const Instant at(random_.between(Duration(100ms), plan_.unquiet));
      tasks_.spawn(restart(at));
    }
  }

  Task<void> befall(Instant at, void (ProxyWorld::*fault)()) {
    co_await sleep_until(scheduler_, at);
    if (!is_healed_) (this->*fault)();
  }
  Task<void> restart(Instant at) {
    co_await sleep_until(scheduler_, at);
    if (is_healed_) co_return;
    server_.stop();
    const Duration down = random_.between(Duration(1ms), Duration(2s));
    co_await sleep_for(scheduler_, down);
    server_.start();
  }

  std::optional<std::uint32_t> some_session() {
    const std::vector<std::uint32_t> all = server_.session_numbers();
    if (all.empty()) return std::nullopt;
    return all[random_.below(all.size())];
  }
  void kill_one() {
    if (const auto session = some_session()) server_.kill(*session);
  }
  void terminate_one() {
    if (const auto session = some_session()) server_.terminate(*session);
  }
  void stall() {
    last_stall_ = scheduler_.now() + random_.between(Duration(10ms), Duration(2s));
    server_.stall_until(last_stall_);
  }
  std::shared_ptr<SimWire> some_client_wire() {
    const auto wires = client_side_.wires();
    return wires.empty() ? nullptr : wires[random_.below(wires.size())];
  }
  void cut_while_writing() {
    const auto session = some_session();
    if (session) server_.die_after(*session, random_.below(400));
  }
  void cut_client_wire() {
    const bool is_proxy = random_.below(2) == 0;
    cut_soon(some_client_wire(), is_proxy ? SimWire::Side::called : SimWire::Side::caller);
  }
  void cut_soon(const std::shared_ptr<SimWire>& wire, SimWire::Side side) {
    if (wire == nullptr) return;
    wire->cut_after(side, wire->written_by(side) + 1 + random_.below(400));
    damaged_.push_back(wire);
  }
  void silence_client_wire() {
    const auto wire = some_client_wire();
    if (wire == nullptr) return;
    wire->fall_silent();
    damaged_.push_back(wire);
    tasks_.spawn(cut_later(wire, random_.between(Duration(1s), Duration(4s))));
  }
  Task<void> cut_later(std::shared_ptr<SimWire> wire, Duration after) {
    co_await sleep_for(scheduler_, after);
    wire->cut();
  }
  void let_vanish() { clients_[random_.below(clients_.size())]->vanish(); }

  void heal() {
    is_healed_ = true;
    client_faults_ = ClientFaults();
    client_faults_.cancels = plan_.client_faults.cancels;
    for (const auto& wire : damaged_) wire->cut();
    server_.start();
    server_.stall_until(Instant());
  }

  // ---- the end

  void go_until(Instant time) {
    while (book_.is_clean() && scheduler_.next_step() <= time && scheduler_.steps() < kMostSteps)
      scheduler_.step();
    if (scheduler_.steps() >= kMostSteps) broken(Promise::supply, "it runs in circles");
    if (book_.is_clean()) scheduler_.run_until(time);
  }

  Task<void> close_all() {
    for (Instance& proxy : instances_) {
      co_await proxy.server.close(deadline_after(scheduler_.now(), 5s));
      proxy.is_closed = true;
    }
    co_await server_.close();
    is_closed_ = true;
  }

  // Clients finish and leave; then nothing is left of them.
  void end() {
    for (const auto& client : clients_) client->stop();
    if (book_.is_clean()) {
      go_until(scheduler_.now() + 10s);
      check_idle();
    }
    is_ending_ = true;
    for (const auto& client : clients_) client->vanish();
    start_detached(scheduler_, close_all());
    const std::uint64_t most = scheduler_.steps() + kMostSteps;
    while (scheduler_.steps() < most && scheduler_.step()) {
    }
    FOREBAY_CHECK(is_closed_ && tasks_.running() == 0, "a world could not be ended");
  }

  void check_idle() {
    for (Instance& proxy : instances_) {
      const PoolGauges gauges = proxy.route->pool().gauges();
      const proxy::ProxyCounters counters = proxy.server.statistics().clients();
      if (counters.clients != 0 || counters.waiting != 0 || gauges.lent != 0) {
        broken(Promise::every_waiter_ends,
               fmt::format("{}: all clients have left, and it has {} of them; {}", proxy.name,
                           counters.clients, describe(gauges)));
      }
      const int target = plan_.route.pool.supply == Supply::reservoir
                             ? *plan_.route.pool.size.target_ready
                             : plan_.route.pool.size.min_idle;
      if (gauges.ready + gauges.cleaning + gauges.opening < target)
        broken(Promise::supply, fmt::format("{}: {}", proxy.name, describe(gauges)));
    }
  }

  ProxyWorldResult finish() {
    for (const auto& client : clients_) {
      result_.units += client->units();
      result_.unserved += client->unserved();
      result_.cancelled += client->cancelled();
      result_.lives += client->lives();
    }
    for (const Instance& proxy : instances_) {
      result_.pins += proxy.route->sessions().pins;
      result_.stays += proxy.server.statistics().clients().stays;
      if (!book_.is_clean()) continue;
      if (proxy.sessions != 0) broken(Promise::cap, "a session outlived its proxy");
    }
    result_.steps = scheduler_.steps();
    result_.trace_hash = trace_.hash();
    if (!book_.is_clean()) {
      result_.broken = book_.broken();
      result_.broken->when = broken_at_.time_since_epoch();
    }
    return result_;
  }

  const log::Mute mute_;
  const ProxyPlan plan_;
  ProxyTampering& tampering_;
  SimScheduler scheduler_;
  SeededRandom random_;
  Trace trace_;
  PromiseBook book_;
  Instant broken_at_{};
  SimNetwork client_side_;
  SimNetwork server_side_;
  SimHost server_host_;
  SimHost client_host_;
  std::map<std::uint32_t, ServerSession> sessions_;
  std::map<std::string, int> cancels_;
  SimPostgres server_;
  std::list<Instance> instances_;
  ClientFaults client_faults_;
  std::vector<std::unique_ptr<SimClient>> clients_;
  TaskGroup tasks_;
  std::vector<std::shared_ptr<SimWire>> damaged_;  // some may break later
  Instant last_stall_{};
  ProxyWorldResult result_;
  bool is_healed_ = false;
  bool is_well_ = false;
  bool is_ending_ = false;
  bool is_closed_ = false;
};

}  // namespace forebay::sim
