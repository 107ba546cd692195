// Cancellation: all that listen are told, once, and those that come later do not begin to wait.
#include "forebay/env/cancellation.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/detail/env/remote_cancellation.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

using Notes = std::vector<std::pair<int, bool>>;

Task<void> pause(Cancellation& cancellation, Instant deadline, Notes& notes, int number) {
  const bool is_cancelled = co_await cancellation.wait_until(deadline);
  notes.emplace_back(number, is_cancelled);
}

Task<void> wait(Condition& condition, Until until, Notes& notes, int number) {
  const bool is_notified = co_await condition.wait_until(until);
  notes.emplace_back(number, is_notified);
}

class CancellationTest : public testing::Test {
 protected:
  void start_pause(Instant deadline, int number) {
    start_detached(scheduler_, pause(cancellation_, deadline, notes_, number));
  }
  void start_wait(Instant deadline, int number) {
    start_detached(scheduler_, wait(condition_, Until(deadline, cancellation_), notes_, number));
  }

  sim::SimScheduler scheduler_;
  Cancellation cancellation_{scheduler_};
  Condition condition_{scheduler_};
  Notes notes_;
};

TEST_F(CancellationTest, EveryoneIsToldInTheOrderTheyCame) {
  start_pause(kNever, 1);
  start_pause(Instant(10s), 2);
  start_pause(kNever, 3);
  scheduler_.settle();

  cancellation_.cancel();
  const std::size_t notes_inside_the_call = notes_.size();
  scheduler_.run();

  EXPECT_EQ(notes_inside_the_call, 0u) << "they run on later turns";
  EXPECT_EQ(notes_, (Notes{{1, true}, {2, true}, {3, true}}));
  EXPECT_EQ(scheduler_.now(), Instant()) << "no timer is left behind";
}

TEST_F(CancellationTest, APauseThatIsNotCancelledEndsAtItsDeadline) {
  start_pause(Instant(2s), 2);
  start_pause(Instant(1s), 1);

  scheduler_.run();
  cancellation_.cancel();
  scheduler_.run();

  EXPECT_EQ(notes_, (Notes{{1, false}, {2, false}})) << "those who have left are not told";
}

TEST_F(CancellationTest, ItIsRemembered) {
  cancellation_.cancel();
  cancellation_.cancel();
  start_pause(kNever, 1);
  start_wait(kNever, 2);

  scheduler_.settle();

  EXPECT_TRUE(cancellation_.is_cancelled());
  EXPECT_EQ(notes_, (Notes{{1, true}, {2, false}}));
}

TEST_F(CancellationTest, AConditionLetsGoOfThoseWhoAreCancelled) {
  start_wait(Instant(10s), 1);
  start_detached(scheduler_, wait(condition_, kNever, notes_, 2));
  scheduler_.settle();

  cancellation_.cancel();
  scheduler_.run();
  const Notes after_cancel = notes_;
  condition_.notify_all();
  scheduler_.run();

  EXPECT_EQ(after_cancel, (Notes{{1, false}}));
  EXPECT_EQ(notes_, (Notes{{1, false}, {2, true}}));
  EXPECT_EQ(scheduler_.now(), Instant());
}

TEST_F(CancellationTest, ATaskThatWasNotifiedIsNotCancelledAsWell) {
  start_wait(Instant(10s), 1);
  start_wait(Instant(1s), 2);
  scheduler_.settle();
  scheduler_.run_until(Instant(1s));

  condition_.notify_all();
  cancellation_.cancel();
  scheduler_.run();

  EXPECT_EQ(notes_, (Notes{{2, false}, {1, true}}));
}

TEST_F(CancellationTest, AnUntilWithinAnotherHasTheNearerDeadlineAndACancellation) {
  Cancellation other(scheduler_);
  const Until outer(Instant(5s), cancellation_);
  const Until near = Until(Instant(1s)).within(outer);
  const Until far = Until(kNever).within(outer);
  const Until own = Until(Instant(1s), other).within(outer);

  cancellation_.cancel();

  EXPECT_EQ(near.deadline(), Instant(1s));
  EXPECT_EQ(far.deadline(), Instant(5s));
  EXPECT_TRUE(near.is_cancelled());
  EXPECT_FALSE(own.is_cancelled());
  EXPECT_FALSE(Until(Instant(1s)).is_cancelled());
}

TEST_F(CancellationTest, ARequestFromElsewhereArrivesOnALaterTurn) {
  const auto remote = RemoteCancellation::make(scheduler_);
  start_detached(scheduler_, pause(remote->cancellation(), kNever, notes_, 1));
  scheduler_.settle();

  remote->request();
  remote->request();
  const bool is_inside_the_call = remote->cancellation().is_cancelled();
  scheduler_.run();

  EXPECT_FALSE(is_inside_the_call);
  EXPECT_EQ(notes_, (Notes{{1, true}}));
}

TEST_F(CancellationTest, ARequestAfterTheEndNeedsNoScheduler) {
  const auto remote = RemoteCancellation::make(scheduler_);

  remote->end();
  remote->request();

  EXPECT_EQ(scheduler_.run(), 0u) << "nothing was posted";
  EXPECT_FALSE(remote->cancellation().is_cancelled());
}

}  // namespace
}  // namespace forebay
