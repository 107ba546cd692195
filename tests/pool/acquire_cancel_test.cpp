// Callers who are cancelled: they leave the line at once, and no connection is lost with them.
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/base/log.hpp"
#include "support/sim_pool.hpp"

namespace forebay::test {
namespace {

PoolOptions of_size(int max) {
  PoolOptions options;
  options.size.max = max;
  return options;
}

// Callers with a cancellation each, or one for several, and what became of them.
class Callers {
 public:
  explicit Callers(SimPool& sim) : sim_(sim) {}

  struct Caller {
    bool is_in_acquire = false;
    bool is_over = false;
    Instant ended{};
    std::optional<Errc> error;  // nothing: it was served
    Cancellation* cancellation = nullptr;
  };

  Cancellation& new_cancellation() {
    cancellations_.push_back(std::make_unique<Cancellation>(sim_.scheduler));
    return *cancellations_.back();
  }
  Caller& start(Instant deadline, Duration hold, Cancellation& cancellation) {
    callers_.push_back(std::make_unique<Caller>());
    callers_.back()->cancellation = &cancellation;
    start_detached(sim_.scheduler, run(*callers_.back(), deadline, hold));
    return *callers_.back();
  }
  Caller& start(Instant deadline, Duration hold) {
    return start(deadline, hold, new_cancellation());
  }
  const std::vector<std::unique_ptr<Caller>>& all() const { return callers_; }
  int in_acquire() const { return in_acquire_; }
  int holding() const { return holding_; }

 private:
  Task<void> run(Caller& caller, Instant deadline, Duration hold) {
    caller.is_in_acquire = true;
    ++in_acquire_;
    Result<PooledConnection> got =
        co_await sim_.pool->acquire(Until(deadline, *caller.cancellation));
    --in_acquire_;
    caller.is_in_acquire = false;
    caller.is_over = true;
    caller.ended = sim_.now();
    if (!got) {
      caller.error = got.error().code();
      co_return;
    }
    ++holding_;
    if (hold > Duration::zero()) co_await sleep_for(sim_.scheduler, hold);
    --holding_;
    got->give_back();
  }

  SimPool& sim_;
  std::vector<std::unique_ptr<Cancellation>> cancellations_;
  std::vector<std::unique_ptr<Caller>> callers_;
  int in_acquire_ = 0;
  int holding_ = 0;
};

class AcquireCancelTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_TRUE(sim_->close()) << "a connection was lost"; }
  void start(int max) {
    sim_.emplace(of_size(max));
    sim_->start();
    callers_.emplace(*sim_);
  }
  // All that there is is lent, and so many wait.
  void fill(int max, int waiting) {
    start(max);
    for (int i = 0; i < max + waiting; ++i) callers_->start(kNever, 10s);
    sim_->scheduler.run_for(1s);
    ASSERT_EQ(sim_->statistics().lent, max);
    ASSERT_EQ(sim_->statistics().waiters, waiting);
  }

  const log::Mute quiet_;
  std::optional<SimPool> sim_;
  std::optional<Callers> callers_;
};

TEST_F(AcquireCancelTest, ACancelledCallerLeavesTheLineAtOnce) {
  fill(1, 3);
  const Callers::Caller& second_in_line = *callers_->all()[2];

  second_in_line.cancellation->cancel();
  const int waiters_at_once = sim_->statistics().waiters;
  sim_->scheduler.settle();

  EXPECT_EQ(waiters_at_once, 2);
  EXPECT_EQ(second_in_line.error, Errc::cancelled);
  EXPECT_EQ(second_in_line.ended, sim_->now());
  EXPECT_EQ(sim_->statistics().counters.cancels, 1u);
  sim_->scheduler.run_for(11s);
  EXPECT_FALSE(callers_->all()[1]->error.has_value()) << "the first in line is served";
  EXPECT_FALSE(callers_->all()[3]->is_over && callers_->all()[3]->error) << "and so is the third";
}

TEST_F(AcquireCancelTest, TheErrorSaysHowLongTheCallerStoodInLine) {
  fill(1, 0);
  Cancellation gone(sim_->scheduler);
  std::optional<Error> error;
  const auto wait = [](Pool& pool, Cancellation& cancellation,
                       std::optional<Error>& result) -> Task<void> {
    Result<PooledConnection> got = co_await pool.acquire(Until(kNever, cancellation));
    if (!got) result = got.error();
  };
  start_detached(sim_->scheduler, wait(*sim_->pool, gone, error));
  sim_->scheduler.run_for(2s);

  gone.cancel();
  sim_->scheduler.settle();

  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), Errc::cancelled);
  EXPECT_NE(error->text().find("cancelled after 2"), std::string::npos) << error->text();
}

TEST_F(AcquireCancelTest, ACallerCancelledBeforeGetsNothingEvenIfSomethingIsReady) {
  fill(1, 0);
  sim_->scheduler.run_for(20s);
  ASSERT_EQ(sim_->statistics().ready, 1);
  Cancellation& cancelled = callers_->new_cancellation();
  cancelled.cancel();

  const Callers::Caller& caller = callers_->start(kNever, 1s, cancelled);
  sim_->scheduler.settle();

  EXPECT_EQ(caller.error, Errc::cancelled);
  EXPECT_EQ(sim_->statistics().ready, 1);
}

// The hand-over comes first, the cancellation before its caller has run again.
TEST_F(AcquireCancelTest, AConnectionHandedOverInTheSameMomentGoesToTheNextInLine) {
  start(1);
  std::optional<PooledConnection> held;
  callers_->start(kNever, Duration::zero());
  sim_->scheduler.run_for(1s);
  held = sim_->pool->try_acquire();
  ASSERT_TRUE(held.has_value());
  const Callers::Caller& first = callers_->start(kNever, 1s);
  const Callers::Caller& second = callers_->start(kNever, 1s);
  sim_->scheduler.settle();
  ASSERT_EQ(sim_->statistics().waiters, 2);

  held->give_back();
  first.cancellation->cancel();
  const int waiters_at_once = sim_->statistics().waiters;
  sim_->scheduler.settle();

  EXPECT_EQ(waiters_at_once, 1);
  EXPECT_EQ(first.error, Errc::cancelled);
  EXPECT_TRUE(second.is_over);
  EXPECT_FALSE(second.error.has_value());
  EXPECT_EQ(sim_->statistics().lent, 1);
}

// Hand-overs, timeouts, cancels and closes in the same instants, in every order: the line is as
// long as those who wait, and what is lent is what somebody holds.
class CancelSwarm {
 public:
  explicit CancelSwarm(std::uint64_t seed) : random_(seed), sim_(options(), seed), callers_(sim_) {
    sim_.scheduler.set_tie_seed(seed);
    sim_.server.connect_time = 2ms;
    sim_.server.needs_reset = seed % 3 == 0;
    sim_.start();
  }

  void run(int ticks) {
    for (int tick = 0; tick < ticks; ++tick) {
      for (std::uint64_t i = random_.below(6); i > 0; --i) add_caller();
      sim_.scheduler.run_for(1ms);
      check_books();
    }
    start_detached(sim_.scheduler, close());
    sim_.scheduler.run();
    check_end();
  }
  int cancelled() const { return cancelled_; }
  int cancelled_in_line() const { return cancelled_in_line_; }

 private:
  static PoolOptions options() {
    PoolOptions options = of_size(3);
    options.lifetime = 300ms;
    options.lifetime_jitter = Duration::zero();
    options.guard_window = 20ms;
    return options;
  }
  Duration some_milliseconds(std::uint64_t limit) {
    return std::chrono::milliseconds(random_.below(limit));
  }

  void add_caller() {
    const bool is_shared = shared_ != nullptr && random_.below(4) == 0;
    Cancellation& cancellation = is_shared ? *shared_ : callers_.new_cancellation();
    const Duration patience = some_milliseconds(9);
    const Duration hold = some_milliseconds(5);
    const bool is_patient = random_.below(4) == 0;
    callers_.start(is_patient ? kNever : sim_.now() + patience, hold, cancellation);
    if (is_shared) return;
    start_detached(sim_.scheduler, cancel(cancellation, sim_.now() + some_milliseconds(9)));
    shared_ = random_.below(8) == 0 ? &cancellation : nullptr;
  }

  // The line is exact within the call already.
  Task<void> cancel(Cancellation& cancellation, Instant at) {
    co_await sleep_until(sim_.scheduler, at);
    const PoolStatistics before = sim_.statistics();
    cancellation.cancel();
    ++cancelled_;
    const PoolStatistics after = sim_.statistics();
    const auto left = static_cast<int>(after.counters.cancels - before.counters.cancels);
    cancelled_in_line_ += left;
    EXPECT_EQ(after.waiters, before.waiters - left);
    EXPECT_EQ(after.lent, before.lent);
  }

  // Nothing is under way between two steps now: callers without an answer stand in line.
  void check_books() {
    const PoolStatistics now = sim_.statistics();
    EXPECT_EQ(now.waiters, callers_.in_acquire());
    EXPECT_EQ(now.lent, callers_.holding());
    for (const auto& caller : callers_.all()) {
      if (!caller->is_in_acquire) continue;
      EXPECT_FALSE(caller->cancellation->is_cancelled()) << "it was not told";
    }
  }

  Task<void> close() {
    const Duration delay = some_milliseconds(3);
    if (delay > Duration::zero()) co_await sleep_for(sim_.scheduler, delay);
    is_gone_ = co_await sim_.pool->close(kNever);
  }

  void check_end() {
    EXPECT_TRUE(is_gone_) << "a connection was lost";
    EXPECT_EQ(callers_.in_acquire(), 0);
    EXPECT_EQ(callers_.holding(), 0);
    EXPECT_EQ(sim_.server.sessions, 0);
    EXPECT_EQ(sim_.server.refusals, 0);
    for (const auto& caller : callers_.all()) {
      EXPECT_TRUE(caller->is_over);
      const bool is_known = !caller->error || caller->error == Errc::cancelled ||
                            caller->error == Errc::timed_out || caller->error == Errc::closed;
      EXPECT_TRUE(is_known) << name(*caller->error);
    }
    sim_.pool.reset();
  }

  SeededRandom random_;
  SimPool sim_;
  Callers callers_;
  Cancellation* shared_ = nullptr;
  int cancelled_ = 0;
  int cancelled_in_line_ = 0;
  bool is_gone_ = false;
};

TEST(CancelSwarmTest, AHundredThousandCancelsLoseNothingAndNobody) {
  const log::Mute quiet;
  int cancelled = 0;
  int cancelled_in_line = 0;
  std::uint64_t seed = 0;
  while (cancelled < 100'000 && !testing::Test::HasFailure()) {
    SCOPED_TRACE(testing::Message() << "seed " << ++seed);
    CancelSwarm swarm(seed);
    swarm.run(200);
    cancelled += swarm.cancelled();
    cancelled_in_line += swarm.cancelled_in_line();
  }

  EXPECT_GT(cancelled_in_line, 10'000) << "too few of them met somebody in line";
}

}  // namespace
}  // namespace forebay::test
