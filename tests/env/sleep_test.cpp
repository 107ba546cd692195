// sleep_for, sleep_until and Yield under virtual time.
#include "forebay/env/sleep.hpp"

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

Task<void> note_after(Scheduler& scheduler, Duration time, std::vector<Instant>& notes) {
  co_await sleep_for(scheduler, time);
  notes.push_back(scheduler.now());
}

Task<void> note_at(Scheduler& scheduler, Until until, std::vector<Instant>& notes) {
  co_await sleep_until(scheduler, until);
  notes.push_back(scheduler.now());
}

Task<void> note_twice_around_a_yield(Scheduler& scheduler, std::vector<int>& notes, int number) {
  notes.push_back(number);
  co_await Yield(scheduler);
  notes.push_back(number);
}

TEST(SleepTest, EndsExactlyWhenTold) {
  sim::SimScheduler scheduler;
  std::vector<Instant> notes;
  start_detached(scheduler, note_after(scheduler, 3s, notes));
  start_detached(scheduler, note_at(scheduler, Instant(2s), notes));

  scheduler.run();

  EXPECT_EQ(notes, (std::vector{Instant(2s), Instant(3s)}));
}

TEST(SleepTest, UntilAPastTimeDoesNotSuspend) {
  sim::SimScheduler scheduler;
  scheduler.run_until(Instant(10s));
  std::vector<Instant> notes;
  start_detached(scheduler, note_at(scheduler, Instant(4s), notes));

  scheduler.run();

  EXPECT_EQ(notes, (std::vector{Instant(10s)}));
  EXPECT_EQ(scheduler.steps(), 1u);
}

TEST(SleepTest, EndsEarlyWhenItIsCancelled) {
  sim::SimScheduler scheduler;
  Cancellation cancellation(scheduler);
  std::vector<Instant> notes;
  start_detached(scheduler, note_at(scheduler, Until(Instant(2s), cancellation), notes));
  start_detached(scheduler, note_at(scheduler, Until(Instant(9s), cancellation), notes));
  scheduler.run_until(Instant(5s));

  cancellation.cancel();
  const std::size_t notes_inside_the_call = notes.size();
  start_detached(scheduler, note_at(scheduler, Until(Instant(9s), cancellation), notes));
  scheduler.run();

  EXPECT_EQ(notes_inside_the_call, 1u) << "it goes on on a later turn";
  EXPECT_EQ(notes, (std::vector{Instant(2s), Instant(5s), Instant(5s)}));
  EXPECT_EQ(scheduler.now(), Instant(5s)) << "no timer is left behind";
}

TEST(SleepTest, ASleepBeyondTheEndOfTimeNeverOverflows) {
  const Instant late(1'000'000h);

  EXPECT_EQ(deadline_after(late, Duration::max()), kNever);
  EXPECT_EQ(deadline_after(late, 1h), late + 1h);
}

TEST(YieldTest, LetsEverythingThatIsReadyRunFirst) {
  sim::SimScheduler scheduler;
  std::vector<int> notes;
  start_detached(scheduler, note_twice_around_a_yield(scheduler, notes, 1));
  start_detached(scheduler, note_twice_around_a_yield(scheduler, notes, 2));

  scheduler.run();

  EXPECT_EQ(notes, (std::vector{1, 2, 1, 2}));
}

}  // namespace
}  // namespace forebay
