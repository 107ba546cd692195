// Agents on the simulated DynamoDB, as they run in production: over a network that is slow,
// throttles and loses answers, beside a client of the older kind. The table is looked at after
// every step.
#include <algorithm>
#include <chrono>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/base/log.hpp"
#include "forebay/coordination/leases/lease_agent.hpp"
#include "forebay/coordination/rate/rate_agent.hpp"
#include "forebay/env/sleep.hpp"
#include "support/older_client.hpp"
#include "support/rate_world.hpp"
#include "support/sim_dynamo_world.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

class DynamoAgentsTest : public testing::Test {
 protected:
  static constexpr int kLimit = 40;

  DynamoAgentsTest() {
    world_.tables().set_on_change([this](const std::string&, const std::string& key,
                                         const aws::Item*, const aws::Item* after) {
      if (after == nullptr) items_.erase(key);
      if (after != nullptr) items_.insert_or_assign(key, *after);
    });
  }

  sim::SimScheduler& scheduler() { return static_cast<sim::SimScheduler&>(world_.scheduler()); }
  void add_agent(std::size_t number) {
    LeaseOptions options;
    options.lease_id = "process" + std::to_string(number);
    options.service = options.lease_id;
    options.limit = kLimit;
    agents_.push_back(std::make_unique<LeaseAgent>(Env{scheduler(), random_, wall_clock_},
                                                   world_.leases(number), options));
    agents_.back()->start();
  }
  int active() const {
    const auto counter = items_.find(std::string("dsqllease_counter#") + kEndpoint);
    return counter == items_.end() ? 0 : LeaseItems::active(counter->second);
  }
  int held() const {
    int sum = 0;
    for (const auto& [key, item] : items_)
      if (key.starts_with("dsqllease#")) sum += LeaseItems::read(item).held;
    return sum;
  }
  void check_always() {
    scheduler().set_after_step([this] {
      ASSERT_EQ(active(), held());
      ASSERT_LE(active(), kLimit);
    });
  }

  Task<void> work(LeaseAgent& agent, int& served) {
    ++workers_;
    while (!is_over_) {
      {
        const Result<Lease> lease = co_await agent.acquire(scheduler().now() + 5s);
        if (lease) ++served;
        co_await sleep_for(scheduler(), random_.between(0s, 4s));
      }
      co_await sleep_for(scheduler(), random_.between(0s, 4s));
    }
    --workers_;
  }
  void close_all() {
    is_over_ = true;
    while (workers_ > 0 && scheduler().step()) {
    }
    for (const auto& agent : agents_) {
      std::optional<bool> is_released;
      start_detached(scheduler(), close(*agent, is_released));
      while (!is_released && scheduler().step()) {
      }
      EXPECT_EQ(is_released, true);
    }
  }
  Task<void> close(LeaseAgent& agent, std::optional<bool>& is_released) {
    is_released = co_await agent.close(scheduler().now() + 1min);
  }
  Task<void> older_acquires(std::string id, bool& is_granted) {
    const WallTime now = wall_clock_.now();
    const Result<bool> done = co_await older_.acquire(id, kLimit, now, world_.deadline());
    is_granted = done.has_value() && *done;
  }

  const log::Mute quiet_;
  SimDynamoWorld world_{RateLimits()};
  SeededRandom random_{7};
  sim::SimWallClock wall_clock_{scheduler(), WallTime(std::chrono::hours(24 * 365 * 50))};
  OlderClient older_{world_.process(3).client, world_.table(), kEndpoint};
  std::map<std::string, aws::Item> items_;
  std::vector<std::unique_ptr<LeaseAgent>> agents_;
  bool is_over_ = false;
  int workers_ = 0;
};

TEST_F(DynamoAgentsTest, OnABadNetworkTheCounterStaysTrueAndWithinTheLimit) {
  sim::dynamodb::NetworkFaults faults;
  faults.fastest = 2ms;
  faults.slowest = 60ms;
  faults.lost_replies = 0.05;
  faults.throttled = 0.05;
  world_.network().set_faults(faults);
  check_always();
  int served[3] = {0, 0, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    add_agent(i);
    for (int worker = 0; worker < 25; ++worker)
      start_detached(scheduler(), work(*agents_[i], served[i]));
  }
  scheduler().run_for(3min);

  for (const int count : served) EXPECT_GT(count, 200);
  close_all();
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(held(), 0);
}

TEST_F(DynamoAgentsTest, WhatAnOlderClientLeftBehindComesBackAfterTheLongestSession) {
  bool is_granted = false;
  start_detached(scheduler(), older_acquires("old", is_granted));
  scheduler().run_for(1s);
  ASSERT_TRUE(is_granted);
  add_agent(0);
  check_always();
  scheduler().run_for(65min);
  EXPECT_EQ(active(), 1);

  scheduler().run_for(5min);
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(agents_[0]->reaped(), 1u);
  close_all();
}

TEST_F(DynamoAgentsTest, ALeaseThatTimeToLiveDeletedIsCountedUntilNoSessionCanLiveBehindIt) {
  bool is_granted = false;
  start_detached(scheduler(), older_acquires("old", is_granted));
  scheduler().run_for(1s);
  ASSERT_TRUE(is_granted);
  ASSERT_TRUE(world_.tables().enable_ttl(world_.table(), "ttl_epoch", wall_clock_.now()));
  add_agent(0);
  scheduler().run_for(4min);
  EXPECT_EQ(world_.tables().expire(wall_clock_.now()), 1);
  EXPECT_EQ(held(), 0);
  scheduler().run_for(64min);
  EXPECT_EQ(active(), 1);

  scheduler().run_for(6min);
  EXPECT_EQ(active(), 0);
  close_all();
}

// By how many connects the most crowded stretch of any length passes rate * t + extra.
double worst_of(std::vector<Instant> connects, double rate, double extra) {
  std::sort(connects.begin(), connects.end());
  double least = 0;  // of connects until then, less what the rate has paid for
  double worst = -extra;
  for (std::size_t i = 0; i < connects.size(); ++i) {
    const double paid =
        rate * std::chrono::duration<double>(connects[i].time_since_epoch()).count();
    const double before = static_cast<double>(i) - paid;
    least = i == 0 ? before : std::min(least, before);
    worst = std::max(worst, before + 1 - least - extra);
  }
  return worst;
}

// Four processes that all want more than there is: what the database sees, and what it costs.
class DynamoRateAgentsTest : public testing::Test {
 protected:
  double run(RateLimits limits, std::vector<Instant>& connects) {
    sim::dynamodb::NetworkFaults faults;
    faults.fastest = fastest_;
    faults.slowest = slowest_;
    SimDynamoWorld world(limits, faults);
    auto& scheduler = static_cast<sim::SimScheduler&>(world.scheduler());
    SeededRandom random(seed_);
    std::deque<sim::SimWallClock> wall_clocks;
    RateOptions options;
    options.connects_per_second = limits.connects_per_second;
    options.stagger = stagger_;
    options.is_wall_clock_followed = limits.mode == RateMode::window;
    std::vector<std::unique_ptr<RateAgent>> agents;
    for (std::size_t i = 0; i < StoreWorld::kProcesses; ++i) {
      sim::SimWallClock& wall_clock = wall_clocks.emplace_back(
          scheduler, WallTime(std::chrono::hours(24 * 365 * 50)) + apart_ * (i % 3));
      agents.push_back(
          std::make_unique<RateAgent>(Env{scheduler, random, wall_clock}, world.rates(i), options));
      for (int caller = 0; caller < callers_; ++caller)
        start_detached(scheduler, connect_on(scheduler, *agents[i], connects));
    }
    scheduler.run_for(time_);
    const double units = world.write_units();
    const std::size_t count = connects.size();
    is_over_ = true;
    for (const auto& agent : agents) start_detached(scheduler, agent->close());
    scheduler.run();
    connects.resize(count);
    is_over_ = false;
    return units / static_cast<double>(count);
  }

  Duration time_ = 1min;
  int callers_ = 24;        // of each process
  Duration fastest_ = 4ms;  // there and back
  Duration slowest_ = 12ms;
  Duration apart_{};  // the clocks of the processes
  Duration stagger_{};
  std::uint64_t seed_ = 7;

 private:
  Task<void> connect_on(Scheduler& scheduler, RateAgent& agent, std::vector<Instant>& connects) {
    while (!is_over_) {
      const Result<Instant> start = co_await agent.reserve(scheduler.now() + 30s);
      if (!start) continue;
      co_await sleep_until(scheduler, *start);
      connects.push_back(scheduler.now());
    }
  }

  bool is_over_ = false;
};

TEST_F(DynamoRateAgentsTest, ABucketIsSharedAtLittleCost) {
  RateLimits limits;
  limits.burst = 1;
  std::vector<Instant> connects;
  const double units = run(limits, connects);

  check_windows(connects, 100, 1);
  EXPECT_GT(connects.size(), 5700u);
  std::cout << "bucket: " << units << " write units per connect\n";
  EXPECT_LT(units, 0.5);
}

TEST_F(DynamoRateAgentsTest, AWindowIsSharedAtLittleCost) {
  RateLimits limits;
  limits.mode = RateMode::window;
  std::vector<Instant> connects;
  const double units = run(limits, connects);

  std::map<std::int64_t, int> seconds;
  for (const Instant start : connects) ++seconds[start.time_since_epoch() / 1s];
  for (const auto& [second, count] : seconds) EXPECT_LE(count, 100) << second;
  EXPECT_GT(connects.size(), 5700u);
  std::cout << "window: " << units << " write units per connect\n";
  EXPECT_LT(units, 0.5);
}

// What is asked for starts as far ahead as answers are late.
TEST_F(DynamoRateAgentsTest, ASlowDynamoDbCostsLittleOfTheRate) {
  fastest_ = 30ms;
  slowest_ = 270ms;
  callers_ = 48;
  for (const RateMode mode : {RateMode::window, RateMode::bucket}) {
    RateLimits limits;
    limits.mode = mode;
    limits.burst = 1;
    std::vector<Instant> connects;
    const double units = run(limits, connects);
    std::cout << "mode " << static_cast<int>(mode) << ": " << connects.size() << " of 6000, "
              << units << " write units per connect\n";
    EXPECT_GT(connects.size(), mode == RateMode::window ? 5200u : 4800u);
    if (mode == RateMode::bucket) check_windows(connects, 100, 1);
  }
}

// Whatever their clocks say, they count by DynamoDB's.
TEST_F(DynamoRateAgentsTest, ClocksThatAreApartStartNoMoreThanTheRate) {
  apart_ = 5s;
  slowest_ = 40ms;
  time_ = 8s;
  for (seed_ = 1; seed_ <= 12; ++seed_) {
    SCOPED_TRACE("seed " + std::to_string(seed_));
    stagger_ = std::chrono::milliseconds(100) * (seed_ % 4) * 10;
    for (const RateMode mode : {RateMode::bucket, RateMode::window}) {
      RateLimits limits;
      limits.mode = mode;
      limits.burst = 50;
      std::vector<Instant> connects;
      run(limits, connects);
      const double excess = worst_of(connects, 100, mode == RateMode::bucket ? 50 : 100);
      std::cout << "seed " << seed_ << " mode " << static_cast<int>(mode) << ": " << excess
                << " too many\n";
      // What they can be apart at the first answers, in the long run nothing.
      EXPECT_LE(excess, 50);
    }
  }
}

}  // namespace
}  // namespace forebay::test
