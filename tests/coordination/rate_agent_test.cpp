#include "forebay/coordination/rate/rate_agent.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/rate_world.hpp"

namespace forebay::test {
namespace {

RateWorld::Options at(double rate, int burst) {
  RateWorld::Options options;
  options.limits = RateLimits{rate, burst, 1s};
  options.agent.connects_per_second = rate;
  options.agent.stagger = 0s;
  return options;
}

TEST(RateAgentTest, AStoreWithoutDelayCostsNoTime) {
  RateWorld world(at(100, 10));
  RateProcess& process = world.add();
  for (int i = 0; i < 10; ++i) process.reserve();
  world.scheduler.run_for(0s);

  ASSERT_EQ(process.starts.size(), 10u);
  for (const Instant start : process.starts) EXPECT_EQ(start, Instant());
  EXPECT_EQ(process.agent->waits(), 0u);
  EXPECT_LE(process.agent->requests(), 2u);
}

TEST(RateAgentTest, AProcessThatIsAloneGetsTheWholeRate) {
  RateWorld world(at(100, 1));
  RateProcess& process = world.add();
  process.store.shortest = 5ms;
  process.store.longest = 20ms;
  world.keep_busy(process, 32);
  world.scheduler.run_for(30s);

  world.check_windows(100, 1);
  EXPECT_GT(world.connects.size(), 2900u);
  // Few requests: several places each.
  EXPECT_LT(process.agent->requests() * 4, world.connects.size());
}

TEST(RateAgentTest, ManyProcessesShareTheRateFairlyWithFewRequests) {
  RateWorld world(at(100, 1));
  for (int i = 0; i < 44; ++i) {
    RateProcess& process = world.add(static_cast<std::uint64_t>(i) + 1);
    process.store.shortest = 2ms;
    process.store.longest = 30ms;
    world.keep_busy(process, i % 2 == 0 ? 32 : 2);
  }
  world.scheduler.run_for(2min);

  world.check_windows(100, 1);
  EXPECT_GT(world.connects.size(), 11'400u);
  std::uint64_t requests = 0;
  for (const auto& process : world.processes) {
    requests += process->agent->requests();
    // The even share is 272. A process with two callers cannot use as much.
    EXPECT_GT(process->connects, 136);
    EXPECT_LT(process->connects, 544);
    if (process->callers == 2) {
      EXPECT_LT(process->longest_wait, 10s);
    }
  }
  EXPECT_LT(requests, world.connects.size());
}

// All want more than there is, all the time, and hold each connection for a while: over twenty
// seconds nobody gets twice what another gets, whatever the step into which they fall.
TEST(RateAgentTest, ProcessesThatWantMoreThanThereIsGetTheSame) {
  for (const RateMode mode : {RateMode::bucket, RateMode::window}) {
    for (const int burst : {1, 40}) {
      for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(
            fmt::format("mode {}, burst {}, seed {}", static_cast<int>(mode), burst, seed));
        RateWorld::Options options = at(100, burst);
        options.limits.mode = mode;
        RateWorld world(options);
        for (std::uint64_t i = 0; i < 8; ++i) {
          RateProcess& process = world.add(100 * seed + i);
          process.store.shortest = 1ms;
          process.store.longest = 3ms * static_cast<std::int64_t>(seed);
          process.life = 500ms;
          world.keep_busy(process, 30);
        }
        world.scheduler.run_for(5s);
        for (const auto& process : world.processes) process->connects = 0;
        world.scheduler.run_for(20s);
        int least = 1 << 30;
        int most = 0;
        for (const auto& process : world.processes) {
          least = std::min(least, process->connects);
          most = std::max(most, process->connects);
        }
        EXPECT_LE(most, 2 * least);
      }
    }
  }
}

TEST(RateAgentTest, APlaceGivenBackGoesToTheNextCaller) {
  RateWorld world(at(1, 1));
  RateProcess& process = world.add();
  process.reserve();
  process.reserve();
  world.scheduler.run_for(10ms);
  ASSERT_EQ(process.starts.size(), 2u);
  ASSERT_EQ(process.starts[1], Instant(1s));
  process.agent->give_back(process.starts[1]);
  process.reserve();
  world.scheduler.run_for(1ms);

  ASSERT_EQ(process.starts.size(), 3u);
  EXPECT_EQ(process.starts[2], Instant(1s));
  process.agent->give_back(process.starts[2]);
  world.scheduler.run_for(2s);
  process.reserve();
  world.scheduler.run_for(1ms);
  EXPECT_EQ(process.agent->lost_places(), 1u);
}

TEST(RateAgentTest, ACallerGivesUpAtItsDeadlineOrAfterMaxWait) {
  RateWorld world(at(0.01, 1));
  RateProcess& process = world.add();
  process.reserve();
  process.reserve(2s);
  process.reserve(1h);
  world.scheduler.run_for(2s);
  ASSERT_EQ(process.errors.size(), 1u);
  EXPECT_EQ(process.errors[0].code(), Errc::timed_out);

  world.scheduler.run_for(28s);
  ASSERT_EQ(process.errors.size(), 2u);
  EXPECT_EQ(process.errors[1].code(), Errc::limit_reached);
}

TEST(RateAgentTest, HoldStartsNothingWhileTheStoreIsAway) {
  RateWorld world(at(100, 1));
  RateProcess& process = world.add();
  process.store.fate = [](const std::string&, int) { return Fate::away; };
  process.reserve();
  world.scheduler.run_for(5s);

  ASSERT_EQ(process.errors.size(), 1u);
  EXPECT_EQ(process.errors[0].code(), Errc::connect_failed);
}

TEST(RateAgentTest, LocalKeepsThisProcesssShareAndFindsTheStoreAgain) {
  RateWorld::Options options = at(100, 1);
  options.agent.on_absence = StoreAbsence::local;
  options.agent.known_processes = [] { return 10; };
  RateWorld world(options);
  RateProcess& process = world.add();
  process.store.fate = [](const std::string&, int) { return Fate::away; };
  world.keep_busy(process, 4);
  world.scheduler.run_for(30s);
  EXPECT_TRUE(process.errors.empty());
  EXPECT_GT(process.connects, 250);
  EXPECT_LE(process.connects, 300);

  process.store.fate = nullptr;
  world.scheduler.run_for(10s);
  const int before = process.connects;
  world.scheduler.run_for(5s);
  EXPECT_GT(process.connects - before, 350);
}

TEST(RateAgentTest, AClockThatIsAheadLocksNobodyOut) {
  RateWorld world(at(100, 10));
  RateProcess& right = world.add(1);
  RateProcess& ahead = world.add(2, 1h);
  RateProcess& behind = world.add(3, -1h);
  for (RateProcess* process : {&right, &ahead, &behind}) {
    process->store.shortest = 2ms;
    process->store.longest = 20ms;
    world.keep_busy(*process, 16);
  }
  world.scheduler.run_for(1min);

  for (const auto& process : world.processes) EXPECT_GT(process->connects, 1000);
  // While they learn each other's time they may start what they reserved before: a second's worth.
  EXPECT_LE(world.connects.size(), 6000u + 10u + 100u);
  world.check_windows(100, 10 + 100);
}

TEST(RateAgentTest, TheFirstRequestIsStaggered) {
  RateWorld::Options options = at(100, 10);
  options.agent.stagger = 5s;
  RateWorld world(options);
  std::vector<Duration> delays;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RateProcess& process = world.add(seed);
    const Instant begun = world.scheduler.now();
    process.reserve();
    while (process.starts.empty() && world.scheduler.step()) {
    }
    delays.push_back(world.scheduler.now() - begun);
    const Instant again = world.scheduler.now();
    process.reserve();
    world.scheduler.run_for(1s);
    ASSERT_EQ(process.starts.size(), 2u);
    EXPECT_LE(process.starts[1], again + 1s);
  }
  std::sort(delays.begin(), delays.end());
  EXPECT_LT(delays.front(), 1s);
  EXPECT_GT(delays.back(), 3s);
  EXPECT_LE(delays.back(), 5s);
}

// Clock seconds, and processes that reserve ahead: the rate is used, and no second has too many.
TEST(RateAgentTest, AWindowIsSharedByManyProcesses) {
  RateWorld::Options options = at(100, 1);
  options.limits.mode = RateMode::window;
  RateWorld world(options);
  for (int i = 0; i < 44; ++i) {
    RateProcess& process = world.add(static_cast<std::uint64_t>(i) + 1);
    process.store.shortest = 2ms;
    process.store.longest = 30ms;
    world.keep_busy(process, i % 2 == 0 ? 32 : 2);
  }
  world.scheduler.run_for(2min);

  std::map<std::int64_t, int> seconds;
  for (const Instant start : world.connects) ++seconds[start.time_since_epoch() / 1s];
  for (const auto& [second, count] : seconds) EXPECT_LE(count, 100) << second;
  EXPECT_GT(world.connects.size(), 11'400u);
  std::uint64_t requests = 0;
  for (const auto& process : world.processes) {
    requests += process->agent->requests();
    // The even share is 272. A process with two callers cannot use as much.
    EXPECT_GT(process->connects, 90);
    EXPECT_LT(process->connects, 544);
  }
  EXPECT_LT(requests, world.connects.size());
}

TEST(RateAgentTest, CloseEndsThoseThatWait) {
  RateWorld world(at(0.01, 1));
  RateProcess& process = world.add();
  process.reserve();
  process.reserve(1h);
  world.scheduler.run_for(1s);
  process.close();

  ASSERT_EQ(process.errors.size(), 1u);
  EXPECT_EQ(process.errors[0].code(), Errc::closed);
}

// Many agents, slow and lossy ways: what reaches the database never exceeds the rate.
TEST(RateAgentProperty, NoWindowSeesMoreThanItsShare) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    const int rate = 1 + static_cast<int>(random.below(300));
    const int burst = 1 + static_cast<int>(random.below(200));
    RateWorld world(at(rate, burst));
    if (random.below(2) == 0) world.scheduler.set_tie_seed(seed);
    const std::uint64_t processes = 1 + random.below(20);
    const auto parts = static_cast<std::uint32_t>(random.below(200'000));
    for (std::uint64_t i = 0; i < processes; ++i) {
      RateProcess& process = world.add(random.next());
      process.store.longest = random.between(0ms, 200ms);
      process.store.fate = [&random, parts](const std::string&, int) {
        if (!random.chance_per_million(parts)) return Fate::answered;
        return random.below(2) == 0 ? Fate::lost_reply : Fate::throttled;
      };
      world.keep_busy(process, 1 + static_cast<int>(random.below(32)));
    }
    world.scheduler.run_for(30s);
    world.check_windows(rate, burst);
    EXPECT_GT(world.connects.size(), static_cast<std::size_t>(5 * rate));
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace forebay::test
