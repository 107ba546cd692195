// Processes with a rate agent each, over one store in virtual time. Every connect is noted at the
// moment at which it would start.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/coordination/rate/rate_agent.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "support/flaky_store.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

// Every window of any length w saw at most rate * w + burst connects.
inline void check_windows(std::vector<Instant> sorted, double rate, int burst) {
  std::sort(sorted.begin(), sorted.end());
  const Duration interval(static_cast<std::int64_t>(1e9 / rate));
  // Each connect less what the rate has paid for until then: none may fall burst - 1 intervals
  // below the highest so far.
  Instant highest = Instant::min();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Instant unpaid = sorted[i] - static_cast<std::int64_t>(i) * interval;
    highest = std::max(highest, unpaid);
    ASSERT_GE(unpaid, highest - (burst - 1) * interval) << "connect " << i;
  }
}

class RateProcess {
 public:
  RateProcess(sim::SimScheduler& process_scheduler, MemoryCoordination& model,
              const RateOptions& options, std::uint64_t seed, Duration skew)
      : scheduler(process_scheduler),
        random(seed),
        wall_clock(scheduler, WallTime(24h) + skew),
        store(scheduler, model, seed + 1),
        agent(std::make_unique<RateAgent>(Env{scheduler, random, wall_clock}, store, options)) {}
  ~RateProcess() {
    store.fate = [](const std::string&, int) { return Fate::away; };
    close();
  }

  // Asks for one; what comes is in `starts`, or its error in `errors`.
  void reserve(Duration timeout = 10s) {
    start_detached(scheduler, reserve_one(scheduler.now() + timeout));
  }
  void close() {
    bool is_closed = false;
    start_detached(scheduler, close_agent(is_closed));
    while (!is_closed && scheduler.step()) {
    }
  }

  sim::SimScheduler& scheduler;
  SeededRandom random;
  sim::SimWallClock wall_clock;
  FlakyStore store;
  std::unique_ptr<RateAgent> agent;
  std::vector<Instant> starts;
  std::vector<Error> errors;
  int callers = 0;
  Duration life{};  // of each connection, before its caller makes the next
  int connects = 0;
  Duration longest_wait{};

 private:
  Task<void> reserve_one(Instant deadline) {
    const Result<Instant> start = co_await agent->reserve(deadline);
    EXPECT_LE(scheduler.now(), deadline);
    if (start) {
      EXPECT_GE(*start, scheduler.now());
      starts.push_back(*start);
    } else {
      errors.push_back(start.error());
    }
  }
  Task<void> close_agent(bool& is_closed) {
    co_await agent->close();
    is_closed = true;
  }
};

class RateWorld {
 public:
  struct Options {
    RateLimits limits;
    RateOptions agent;
  };
  explicit RateWorld(Options options) : model(options.limits), options_(std::move(options)) {}
  ~RateWorld() {
    is_over_ = true;
    for (const auto& process : processes) process->close();
    while (callers_ > 0 && scheduler.step()) {
    }
  }

  RateProcess& add(std::uint64_t seed = 1, Duration skew = {}) {
    processes.push_back(
        std::make_unique<RateProcess>(scheduler, model, options_.agent, seed, skew));
    return *processes.back();
  }

  // Callers that connect again and again, as fast as they are allowed to.
  void keep_busy(RateProcess& process, int callers) {
    process.callers += callers;
    for (int i = 0; i < callers; ++i) start_detached(scheduler, connect_on(process));
  }

  void check_windows(double rate, int burst) const { test::check_windows(connects, rate, burst); }

  sim::SimScheduler scheduler;
  MemoryCoordination model;
  std::vector<Instant> connects;
  std::vector<std::unique_ptr<RateProcess>> processes;

 private:
  Task<void> connect_on(RateProcess& process) {
    ++callers_;
    while (!is_over_) {
      const Instant asked = scheduler.now();
      const Result<Instant> start = co_await process.agent->reserve(asked + 30s);
      if (!start) {
        if (!is_over_) process.errors.push_back(start.error());
        if (!is_over_) co_await sleep_for(scheduler, 250ms);
        continue;
      }
      co_await sleep_until(scheduler, *start);
      connects.push_back(scheduler.now());
      ++process.connects;
      process.longest_wait = std::max(process.longest_wait, scheduler.now() - asked);
      if (process.life > Duration::zero()) co_await sleep_for(scheduler, process.life);
    }
    --callers_;
  }

  const Options options_;
  bool is_over_ = false;
  int callers_ = 0;
};

}  // namespace forebay::test
