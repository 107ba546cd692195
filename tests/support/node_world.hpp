// Processes with a node lease and a generator each, over one store in virtual time. After every
// step each one makes an id, if it can: the ids of a node number grow, in any hands, so that none
// is made twice, whatever happens to the processes, their clocks and their way to the store.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/coordination/nodes/node_lease.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/ids/snowflake.hpp"
#include "support/captured_log.hpp"
#include "support/flaky_store.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

class NodeProcess {
 public:
  NodeProcess(sim::SimScheduler& process_scheduler, MemoryNodes& model, std::uint64_t seed)
      : scheduler(process_scheduler),
        random(seed),
        wall_clock(scheduler, WallTime(kStart)),
        store(scheduler, model, seed + 1),
        lease(std::in_place, Env{scheduler, random, wall_clock}, store, NodeLeaseOptions()),
        ids(std::in_place, wall_clock, *lease) {
    lease->start();
  }
  ~NodeProcess() {
    if (lease) die();
  }

  std::optional<bool> close(Duration limit = 1min) {
    std::optional<bool> result;
    start_detached(scheduler, keep(lease->close(scheduler.now() + limit), result));
    while (!result && scheduler.step()) {
    }
    return result;
  }
  // Without a word: nothing that it says from now on reaches the store.
  void die() {
    cut_off();
    store.shortest = store.longest = 0ms;
    close(0s);
    ids.reset();
    lease.reset();
  }
  void cut_off() {
    store.fate = [](const std::string&, int) { return Fate::away; };
  }
  void reconnect() { store.fate = {}; }
  // -1: none.
  int node() const {
    const Result<NodeTerm> term = lease->term();
    return term ? term->node : -1;
  }
  std::string trouble() const {
    const Result<NodeTerm> term = lease->term();
    return term ? "" : term.error().text();
  }

  static constexpr Duration kStart = 1'767'225'600'000ms;  // 2026-01-01

  sim::SimScheduler& scheduler;
  SeededRandom random;
  sim::SimWallClock wall_clock;
  FlakyNodes store;
  std::optional<NodeLease> lease;
  std::optional<SnowflakeGenerator> ids;

 private:
  static Task<void> keep(Task<bool> task, std::optional<bool>& result) {
    const bool value = co_await std::move(task);
    result = value;
  }
};

class NodeWorld {
 public:
  NodeWorld() {
    scheduler.set_after_step([this] { make_ids(); });
  }
  ~NodeWorld() {
    scheduler.set_after_step({});
    processes.clear();
  }

  NodeProcess& add(std::uint64_t seed = 1) {
    processes.push_back(
        std::make_unique<NodeProcess>(scheduler, model, seed + processes.size() * 1000));
    return *processes.back();
  }
  // All numbers but the first few are held by processes that are well elsewhere, for all one knows.
  void occupy(int first) {
    for (int number = first; number < kNodeNumbers; ++number) {
      NodeClaim claim(number, "elsewhere" + std::to_string(number));
      claim.ttl = std::chrono::hours(10'000);
      ASSERT_TRUE(model.claim(claim).is_held);
    }
  }

  void make_ids() {
    for (const auto& process : processes) {
      if (!process->ids) continue;
      const Result<std::int64_t> id = process->ids->try_next();
      if (!id) continue;
      ++made;
      std::int64_t& greatest = greatest_[process->ids->decode(*id).node];
      ASSERT_GT(*id, greatest);
      greatest = *id;
    }
  }

  const CapturedLog log;
  sim::SimScheduler scheduler;
  MemoryNodes model;
  std::vector<std::unique_ptr<NodeProcess>> processes;
  int made = 0;  // ids

 private:
  std::map<int, std::int64_t> greatest_;  // id of each node number
};

}  // namespace forebay::test
