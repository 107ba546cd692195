// Processes with a lease agent each, over one store in virtual time. After every step the books are
// compared: the store's counter with its leases, and each process's leases with what it uses.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/coordination/leases/lease_agent.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "support/captured_log.hpp"
#include "support/flaky_store.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

class LeaseProcess {
 public:
  LeaseProcess(sim::SimScheduler& process_scheduler, MemoryCoordination& model, std::string name,
               LeaseOptions options, std::uint64_t seed)
      : scheduler(process_scheduler),
        random(seed),
        wall_clock(scheduler, WallTime(24h)),
        store(scheduler, model, seed + 1),
        name_(std::move(name)) {
    options.lease_id = name_;
    options.service = name_;
    agent.emplace(Env{scheduler, random, wall_clock}, store, std::move(options));
    agent->start();
  }
  ~LeaseProcess() {
    if (agent) die();
  }

  const std::string& name() const { return name_; }

  // Asks for one; what comes is in `leases`, or its error in `errors`.
  void acquire(Duration timeout = 10s) { start_detached(scheduler, acquire_one(timeout)); }
  void give_back(std::size_t count) {
    for (std::size_t i = 0; i < count && !leases.empty(); ++i) leases.pop_back();
  }

  std::optional<bool> close(Duration limit = 1min) {
    std::optional<bool> result;
    start_detached(scheduler, store_result(agent->close(scheduler.now() + limit), result));
    while (!result && scheduler.step()) {
    }
    return result;
  }
  // Without a word: nothing that it says from now on reaches the store.
  void die() {
    store.shortest = store.longest = 0ms;
    store.fate = [](const std::string&, int) { return Fate::away; };
    is_dead = true;
    leases.clear();
    close(0s);
    leases.clear();
    agent.reset();
  }

  sim::SimScheduler& scheduler;
  SeededRandom random;
  sim::SimWallClock wall_clock;
  FlakyStore store;
  std::vector<Lease> leases;
  std::vector<Error> errors;
  std::optional<LeaseAgent> agent;
  bool is_dead = false;
  int waiting = 0;

 private:
  Task<void> acquire_one(Duration timeout) {
    ++waiting;
    const Instant deadline = scheduler.now() + timeout;
    Result<Lease> lease = co_await agent->acquire(deadline);
    --waiting;
    EXPECT_LE(scheduler.now(), deadline);
    if (lease) {
      leases.push_back(std::move(*lease));
    } else {
      errors.push_back(lease.error());
    }
  }
  static Task<void> store_result(Task<bool> task, std::optional<bool>& result) {
    result = co_await std::move(task);
  }

  std::string name_;
};

class LeaseWorld {
 public:
  explicit LeaseWorld(RateLimits limits = {}) : model(limits) {
    scheduler.set_after_step([this] { check(); });
  }
  ~LeaseWorld() {
    scheduler.set_after_step({});
    processes.clear();
  }

  LeaseProcess& add(LeaseOptions options, std::uint64_t seed = 1) {
    const std::string name = "process" + std::to_string(processes.size());
    processes.push_back(std::make_unique<LeaseProcess>(scheduler, model, name, std::move(options),
                                                       seed + processes.size() * 1000));
    return *processes.back();
  }

  // What the store holds for a process, under whatever lease.
  int held(const LeaseProcess& process) const {
    int sum = 0;
    for (const LeaseRecord& record : model.list().leases)
      if (record.id.starts_with(process.name() + "-")) sum += record.held;
    return sum;
  }
  int in_use() const {
    int sum = 0;
    for (const auto& process : processes)
      if (process->agent) sum += process->agent->in_use();
    return sum;
  }

  void check() {
    ASSERT_EQ(model.active(), model.held_in_all());
    if (limit) {
      ASSERT_LE(model.active(), *limit);
    }
    for (const auto& process : processes) {
      if (process->is_dead || !process->agent) continue;
      const LeaseAgent& agent = *process->agent;
      most_overhang = std::max(most_overhang, agent.overhang());
      if (is_strict) {
        ASSERT_EQ(agent.overhang(), 0);
      }
      if (!is_covering) continue;
      // A loss is known only when the store has told it.
      ASSERT_GE(held(*process) + agent.overhang(), agent.in_use()) << process->name();
    }
  }

  const CapturedLog log;
  sim::SimScheduler scheduler;
  MemoryCoordination model;
  std::vector<std::unique_ptr<LeaseProcess>> processes;
  std::optional<int> limit;  // the counter never passes it
  bool is_strict = true;     // no overhang, ever
  bool is_covering = true;   // leases cover connections at every step
  int most_overhang = 0;
};

}  // namespace forebay::test
