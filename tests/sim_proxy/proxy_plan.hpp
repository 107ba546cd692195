// A world with proxies by chance: its server, its proxies, its clients, and what befalls them.
#pragma once

#include <vector>

#include "forebay/env/sim/sim_network.hpp"
#include "forebay/proxy/route.hpp"
#include "forebay/sim/postgres/sim_client.hpp"
#include "forebay/sim/postgres/sim_postgres.hpp"

namespace forebay::sim {

using namespace std::chrono_literals;

// What can go wrong, each by a number of times in the first act.
struct ProxyFaults {
  int kills = 0;         // of sessions at the server
  int terminations = 0;  // the same, with a word before
  int stalls = 0;
  int restarts = 0;
  int server_cuts = 0;  // it dies while it writes, after any byte
  int client_cuts = 0;  // between clients and proxies, after any byte of either side
  int silences = 0;     // the same; both are told some seconds later
  int vanishings = 0;   // clients that hang up

  bool may_cost_sessions() const {
    return kills + terminations + restarts + server_cuts + client_cuts + silences > 0;
  }
};

struct ProxyPlan {
  std::uint64_t seed = 1;
  int proxies = 1;
  int connections = 2;  // of each proxy
  SimStreamOptions client_side;
  SimStreamOptions server_side;
  Duration most_connect{};  // what the server takes, by chance: to let somebody in,
  Duration most_work{};     // for a statement, beside what it says itself,
  Duration most_goodbye{};  // and until a process has ended
  proxy::RouteOptions route;
  std::vector<SimClientOptions> clients;
  ClientFaults client_faults;
  ProxyFaults faults;
  Duration unquiet = 5s;    // the first act
  Duration healing = 6s;    // then everything is to get well
  Duration quiet = 3500ms;  // and to stay so
};

class RandomPlan {
 public:
  explicit RandomPlan(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 1) {
    plan_.seed = seed;
  }

  ProxyPlan draw() {
    plan_.proxies = one_in(4) ? 2 : 1;
    plan_.connections = 1 + below(4);
    streams(plan_.client_side);
    streams(plan_.server_side);
    server();
    route();
    faults();
    clients();
    return plan_;
  }

 private:
  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  bool one_in(int n) { return below(n) == 0; }
  Duration some(Duration least, Duration most) { return random_.between(least, most); }

  void streams(SimStreamOptions& options) {
    options.least_delay = 50us;
    options.most_delay = one_in(3) ? 5ms : 500us;
    options.is_choppy = one_in(3);
    options.capacity = one_in(3) ? 512 : 16 * 1024;
  }

  void server() {
    plan_.most_connect = some(0ms, 50ms);
    plan_.most_work = some(0ms, 20ms);
    if (one_in(2)) plan_.most_goodbye = some(0ms, 100ms);
  }

  void route() {
    PoolOptions& pool = plan_.route.pool;
    pool.name = "sim";
    pool.size.max = plan_.connections;
    if (one_in(2)) {
      pool.supply = Supply::reservoir;
      pool.size.target_ready = 1 + below(plan_.connections);
    } else {
      pool.size.min_idle = below(2);
    }
    if (one_in(3)) pool.take_order = TakeOrder::oldest_first;
    pool.lifetime = one_in(2) ? some(2s, 8s) : some(1min, 5min);
    pool.lifetime_jitter = *pool.lifetime / 4;
    pool.guard_window = *pool.lifetime / 8;
    pool.idle_timeout = one_in(2) ? some(500ms, 5s) : Duration(10min);
    pool.check_after_idle = one_in(2) ? some(200ms, 3s) : Duration(30s);
    pool.connect_rate = 20 + below(200);
    pool.connect_burst = 1 + below(5);
    pool.reset_timeout = 2s;
    pool.check_timeout = 2s;
    pool.connect_timeout = 2s;
    rules();
    limits();
  }

  void rules() {
    proxy::SessionRules& rules = plan_.route.rules;
    if (one_in(5)) rules.pooling = proxy::Pooling::session;
    if (one_in(5)) rules.on_session_state = proxy::OnSessionState::allow;
    if (one_in(8)) rules.on_session_state = proxy::OnSessionState::refuse;
    if (one_in(2)) rules.most_statements = static_cast<std::size_t>(1 + below(4));
  }

  void limits() {
    proxy::ClientLimits& limits = plan_.route.limits;
    limits.query_wait = some(200ms, 3s);
    if (one_in(4)) limits.query = some(300ms, 2s);
    if (one_in(4)) limits.idle_in_transaction = some(300ms, 1s);
    if (one_in(3)) limits.client_write = some(1s, 3s);
    limits.cancel = 2s;
  }

  void faults() {
    plan_.client_faults.cancels = one_in(3) ? 0 : 500'000;
    if (one_in(2)) plan_.client_faults.cancels_anything = 30'000;
    if (one_in(2)) plan_.client_faults.hangs_up = static_cast<std::uint32_t>(below(40'000));
    ProxyFaults& faults = plan_.faults;
    if (one_in(2)) faults.stalls = below(4);
    if (one_in(3)) return;  // whoever loses its session here has lost it for nothing
    const auto some_of = [this](int most) { return one_in(2) ? below(most) : 0; };
    faults.kills = some_of(6);
    faults.terminations = some_of(6);
    faults.restarts = some_of(3);
    faults.server_cuts = some_of(6);
    faults.client_cuts = some_of(10);
    faults.silences = some_of(4);
    faults.vanishings = some_of(10);
  }

  void clients() {
    const int count = 1 + below(7);
    for (int number = 1; number <= count; ++number) plan_.clients.push_back(client(number));
  }

  SimClientOptions client(int number) {
    const proxy::SessionRules& rules = plan_.route.rules;
    SimClientOptions client;
    client.number = number;
    if (plan_.proxies == 2 && number % 2 == 0) client.proxy = StreamAddress::tcp("proxy-2", 6432);
    if (one_in(2)) client.start["application_name"] = "c" + std::to_string(number) + "x0";
    if (one_in(4)) client.start["DateStyle"] = "SQL, DMY";
    if (one_in(4)) client.start["search_path"] = one_in(2) ? "inn" : "app, public";
    ClientHabits& habits = client.habits;
    habits.is_hasty = one_in(3);
    habits.resets = client.start.empty();
    const bool keeps = rules.pooling == proxy::Pooling::session ||
                       rules.on_session_state == proxy::OnSessionState::pin;
    const bool refuses = rules.pooling == proxy::Pooling::transaction &&
                         rules.on_session_state == proxy::OnSessionState::refuse;
    // Where state does not stay with its client, half of them leave some, and the others look.
    habits.keeps_state = keeps ? one_in(2) : !refuses && number % 2 == 0;
    habits.looks_at_state = keeps || !habits.keeps_state;
    client.most_ahead = habits.is_hasty ? 1 + below(6) : 1;
    client.most_thought = one_in(4) ? Duration::zero() : some(1ms, 120ms);
    if (one_in(4)) client.most_read_pause = some(1ms, 30ms);
    client.least_back = some(1ms, 50ms);
    client.units_of_a_life = 1 + below(60);
    return client;
  }

  SeededRandom random_;
  ProxyPlan plan_;
};

}  // namespace forebay::sim
