// Tasks of several loops on one pool, in virtual time: any mix of loops, ties by chance,
// connections that need a reset. Callers in line are served in order, whatever their loops, and go
// on there. FOREBAY_SEEDS=1000 looks further.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "forebay/env/sim/sim_loops.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

// Notes the order in which callers join the line.
class InLine {
 public:
  InLine(Acquire& acquire, std::uint64_t& next) : acquire_(acquire), next_(next) {}
  bool await_ready() { return acquire_.await_ready(); }
  bool await_suspend(std::coroutine_handle<> task) {
    place = ++next_;
    return acquire_.await_suspend(task);
  }
  Result<PooledConnection> await_resume() { return acquire_.await_resume(); }

  std::uint64_t place = 0;  // from 1; 0: it was served at once

 private:
  Acquire& acquire_;
  std::uint64_t& next_;
};

class LoopWorld {
 public:
  LoopWorld(std::uint64_t seed, int loops)
      : loops_(loops),
        random_(seed),
        wall_clock_(loops_.first(), WallTime()),
        server(loops_.first()),
        connector_(server) {
    loops_.join(timeline_);
    if (seed % 2 == 0) {
      loops_.set_tie_seeds(random_);
      timeline_.set_tie_seed(random_.next());
    }
  }
  ~LoopWorld() {
    pool.reset();
    loops_.leave(timeline_);
  }
  LoopWorld(const LoopWorld&) = delete;
  LoopWorld& operator=(const LoopWorld&) = delete;

  void open(PoolOptions options) {
    server.limit = *options.size.max;
    pool.emplace(Env{loops_.first(), random_, wall_clock_}, connector_, std::move(options));
    start_detached(loops_.first(), store(pool->start()));
    run_for(1s);
  }
  bool close() {
    is_gone_ = false;
    start_detached(loops_.first(), store(pool->close(kNever)));
    run_until([this] { return is_gone_; });
    return is_gone_;
  }
  void run_for(Duration time) {
    const Instant end = timeline_.now() + time;
    while (timeline_.step_until(end) != nullptr) pool->audit();
  }
  template <class Condition>
  void run_until(Condition&& is_met) {
    const Instant end = timeline_.now() + 1h;
    while (!is_met() && timeline_.step_until(end) != nullptr) pool->audit();
  }
  Instant now() const { return timeline_.now(); }
  sim::SimLoops& loops() { return loops_; }
  SeededRandom& random() { return random_; }

 private:
  Task<void> store(Task<bool> task) { is_gone_ = co_await std::move(task); }

  sim::Timeline timeline_;
  sim::SimLoops loops_;
  SeededRandom random_;
  sim::SimWallClock wall_clock_;
  bool is_gone_ = false;

 public:
  FakeServer server;

 private:
  FakeConnector connector_;

 public:
  std::optional<Pool> pool;
};

class LoopCallers {
 public:
  explicit LoopCallers(LoopWorld& world) : world_(world) {}

  void start(int callers, int calls_each) {
    for (int i = 0; i < callers; ++i) {
      Scheduler& own = world_.loops().at(i % world_.loops().size());
      ++running_;
      start_detached(own, run(own, calls_each));
    }
  }
  int running() const { return running_; }
  int served() const { return served_; }

 private:
  Task<void> run(Scheduler& own, int calls) {
    for (int i = 0; i < calls; ++i) {
      co_await sleep_for(own, world_.random().between(0ms, 20ms));
      const Instant deadline = own.now() + world_.random().between(1ms, 2s);
      Acquire acquire = world_.pool->acquire(deadline);
      InLine line(acquire, next_place_);
      Result<PooledConnection> got = co_await line;
      EXPECT_EQ(Scheduler::current(), &own) << "it goes on where it was";
      EXPECT_LE(own.now(), deadline);
      if (!got) {
        EXPECT_EQ(got.error().code(), Errc::timed_out);
        continue;
      }
      note(line.place, got->taken_at());
      const Duration hold = world_.random().between(0ms, 30ms);
      co_await sleep_for(own, hold);
    }
    --running_;
  }
  // Of those who waited, nobody was given something before one who had come earlier.
  void note(std::uint64_t place, Instant granted) {
    ++served_;
    if (place == 0) return;
    if (place > last_place_) {
      last_place_ = place;
      last_granted_ = granted;
    } else {
      EXPECT_LE(granted, last_granted_);
    }
  }

  LoopWorld& world_;
  std::uint64_t next_place_ = 0;
  std::uint64_t last_place_ = 0;
  Instant last_granted_{};
  int running_ = 0;
  int served_ = 0;
};

int seeds() {
  const char* const asked = std::getenv("FOREBAY_SEEDS");
  return asked != nullptr ? std::stoi(asked) : 60;
}

TEST(LoopsTest, WhoWaitsIsServedInOrderWhateverItsLoop) {
  for (int seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(static_cast<std::uint64_t>(seed));
    LoopWorld world(static_cast<std::uint64_t>(seed), 1 + static_cast<int>(random.below(5)));
    PoolOptions options;
    options.size.max = 1 + static_cast<int>(random.below(8));
    options.supply = random.below(2) == 0 ? Supply::standard : Supply::reservoir;
    options.take_order = random.below(4) == 0 ? TakeOrder::oldest_first : TakeOrder::newest_first;
    options.lifetime = random.between(500ms, 10s);
    options.lifetime_jitter = *options.lifetime / 4;
    options.guard_window = *options.lifetime / 10;
    options.check_after_idle = random.between(10ms, 1s);
    world.server.needs_reset = random.below(2) == 0;
    world.server.reset_time = random.between(0ms, 5ms);
    world.open(options);
    LoopCallers callers(world);

    callers.start(1 + static_cast<int>(random.below(40)), 20);
    world.run_until([&callers] { return callers.running() == 0; });

    EXPECT_EQ(callers.running(), 0);
    EXPECT_GT(callers.served(), 0);
    EXPECT_LE(world.server.most_sessions, options.size.max);
    EXPECT_TRUE(world.close());
    EXPECT_EQ(world.server.sessions, 0);
  }
}

Task<void> use_once(LoopWorld& world, Scheduler& own, std::uint64_t& id) {
  Result<PooledConnection> got = co_await world.pool->acquire(own.now() + 1s);
  EXPECT_TRUE(got.has_value());
  id = got->id();
  co_await sleep_for(own, 1ms);
}

TEST(LoopsTest, ALoopIsLentWhatItUsedLast) {
  LoopWorld world(1, 3);
  PoolOptions options;
  options.size.max = 3;
  options.supply = Supply::reservoir;
  world.open(options);
  std::array<std::uint64_t, 3> first{};
  std::array<std::uint64_t, 3> second{};
  for (int i = 0; i < 3; ++i) {
    Scheduler& own = world.loops().at(i);
    start_detached(own, use_once(world, own, first[static_cast<std::size_t>(i)]));
  }
  world.run_for(1s);

  // One after the other: newest first, all of them would be lent the same one.
  for (const int i : {1, 0, 2}) {
    Scheduler& own = world.loops().at(i);
    start_detached(own, use_once(world, own, second[static_cast<std::size_t>(i)]));
    world.run_for(1s);
  }

  EXPECT_EQ(second, first);
  EXPECT_TRUE(world.close());
}

}  // namespace
}  // namespace forebay::test
