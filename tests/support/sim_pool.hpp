// A pool over a fake server in virtual time, audited after every step.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/pool/pool_defaults.hpp"
#include "support/fake_connector.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

class SimPool {
 public:
  explicit SimPool(PoolOptions options, std::uint64_t seed = 1, PoolSharing sharing = {},
                   ServerKind kind = ServerKind::other)
      : random_(seed), wall_clock_(scheduler, WallTime()), server(scheduler), connector_(server) {
    server.limit = options.size.max.value_or(PoolDefaults().max);
    server.kind = kind;
    pool.emplace(Env{scheduler, random_, wall_clock_}, connector_, std::move(options), sharing);
    scheduler.set_after_step([this] {
      if (pool) pool->audit();
      if (pool && watch_) watch_();
    });
  }
  // Over a server of such a kind.
  SimPool(PoolOptions options, ServerKind kind) : SimPool(std::move(options), 1, {}, kind) {}
  ~SimPool() {
    if (pool) close();
  }

  Instant now() const { return scheduler.now(); }
  PoolStatistics statistics() const { return pool->statistics(); }

  // Called after every step, beside the audit. An empty one ends it.
  void set_watch(std::function<void()> watch) { watch_ = std::move(watch); }

  // Starts the pool and runs until start() has answered.
  bool start() {
    std::optional<bool> filled;
    start_detached(scheduler, store(pool->start(), filled));
    while (!filled && scheduler.step()) {
    }
    return filled.value();
  }
  Result<bool> start_or_fail() {
    std::optional<Result<bool>> filled;
    start_detached(scheduler, store(pool->start_or_fail(), filled));
    while (!filled && scheduler.step()) {
    }
    return std::move(*filled);
  }
  bool close(Duration limit = 1h) {
    std::optional<bool> gone;
    start_detached(scheduler, store(pool->close(now() + limit), gone));
    while (!gone && scheduler.step()) {
    }
    if (*gone) pool.reset();
    return *gone;
  }

  // One caller: acquires, holds, gives back. What happened is in the record.
  struct Call {
    Instant asked{};
    Instant ended{};
    std::optional<Errc> error;
    std::uint64_t connection_id = 0;
    bool is_done = false;
  };
  Call& call(Duration timeout, Duration hold) {
    calls.push_back(std::make_unique<Call>());
    start_detached(scheduler, run_call(*calls.back(), timeout, hold));
    return *calls.back();
  }

  sim::SimScheduler scheduler;

 private:
  std::function<void()> watch_;
  SeededRandom random_;
  sim::SimWallClock wall_clock_;

 public:
  FakeServer server;

 private:
  FakeConnector connector_;

 public:
  std::vector<std::unique_ptr<Call>> calls;
  std::optional<Pool> pool;

 private:
  template <class T>
  static Task<void> store(Task<T> task, std::optional<T>& result) {
    result = co_await std::move(task);
  }

  Task<void> run_call(Call& call, Duration timeout, Duration hold) {
    call.asked = scheduler.now();
    Result<PooledConnection> got = co_await pool->acquire(deadline_after(call.asked, timeout));
    call.ended = scheduler.now();
    call.is_done = true;
    if (!got) {
      call.error = got.error().code();
      co_return;
    }
    call.connection_id = got->id();
    if (hold > Duration::zero()) co_await sleep_for(scheduler, hold);
    got->give_back();
  }
};

}  // namespace forebay::test
