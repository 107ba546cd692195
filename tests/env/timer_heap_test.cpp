// TimerHeap: by due time, then by order. Both schedulers rely on it to agree.
#include "forebay/env/timer_heap.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

void do_nothing(Timer&) {}

Timer make_timer(Duration due, std::uint64_t order) {
  Timer timer(&do_nothing);
  timer.due = Instant(due);
  timer.order = order;
  return timer;
}

TEST(TimerHeapTest, TheEarlierDueTimeFiresFirst) {
  Timer late = make_timer(2s, 0);
  Timer early = make_timer(1s, 1);
  TimerHeap timers;
  timers.push(late);
  timers.push(early);

  const Timer* first = &timers.pop();
  const Timer* second = &timers.pop();

  EXPECT_EQ(first, &early);
  EXPECT_EQ(second, &late);
}

TEST(TimerHeapTest, EqualDueTimesFireByOrder) {
  Timer second = make_timer(1s, 8);
  Timer first = make_timer(1s, 7);
  TimerHeap timers;
  timers.push(second);
  timers.push(first);

  const Timer* popped_first = &timers.pop();
  const Timer* popped_second = &timers.pop();

  EXPECT_EQ(popped_first, &first);
  EXPECT_EQ(popped_second, &second);
}

TEST(TimerHeapTest, ATimerThatIsNeverDueComesLast) {
  Timer never = make_timer(0s, 0);
  never.due = kNever;
  Timer late = make_timer(std::chrono::hours(24 * 365), 1);
  TimerHeap timers;
  timers.push(never);
  timers.push(late);

  const Timer* first = &timers.front();

  EXPECT_EQ(first, &late);
  timers.remove(late);
  timers.remove(never);
}

TEST(TimerHeapTest, ATimerLeavesOnce) {
  Timer timer = make_timer(1s, 0);
  TimerHeap timers;
  timers.push(timer);

  const bool first_time = timers.remove(timer);
  const bool second_time = timers.remove(timer);

  EXPECT_TRUE(first_time);
  EXPECT_FALSE(second_time);
}

}  // namespace
}  // namespace forebay
