// RetirementSchedule: what is due comes out in the order of time, and the pauses of what is
// postponed end before it is stale.
#include "forebay/core/retirement_schedule.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kBirth(1h);

// A schedule with slots of its own, which all leave before it dies.
class TestSchedule {
 public:
  explicit TestSchedule(int slots) : capacity_(slots), size_(slots) {}
  ~TestSchedule() {
    for (const auto& slot : slots_) schedule.remove(*slot);
  }
  Slot& add(Duration connect_time = 1s) {
    const auto id = static_cast<std::uint64_t>(slots_.size());
    Slot& slot = *slots_.emplace_back(std::make_unique<Slot>(id, *capacity_.try_approve()));
    slot.opened_at = kBirth;
    slot.expires_at = kBirth + 11min;
    slot.stale_at = kBirth + 10min;
    schedule.add(slot, size_, connect_time, random_);
    return slot;
  }

 private:
  Capacity capacity_;
  const int size_;
  std::vector<std::unique_ptr<Slot>> slots_;
  SeededRandom random_{1};

 public:
  RetirementSchedule schedule;
};

TEST(RetirementScheduleTest, AReplacementIsWantedAFewConnectTimesBeforeTheEnd) {
  TestSchedule test(1);
  const Slot& slot = test.add(1s);

  EXPECT_EQ(slot.retire_at, slot.stale_at);
  EXPECT_EQ(test.schedule.next_at(), slot.retire_at - 4s);
  EXPECT_EQ(test.schedule.pop_due(slot.retire_at - 4s - 1ns), nullptr);
  EXPECT_EQ(test.schedule.pop_due(slot.retire_at - 4s), &slot);
  EXPECT_TRUE(test.schedule.empty());
  EXPECT_FALSE(RetirementSchedule::is_ahead(slot));
  EXPECT_EQ(test.schedule.size(), 1u) << "its time stays taken";
}

TEST(RetirementScheduleTest, ASlowConnectTakesNoMoreThanAQuarterOfALife) {
  TestSchedule test(1);
  const Slot& slot = test.add(1h);

  EXPECT_EQ(test.schedule.next_at(), slot.retire_at - 150s);
}

TEST(RetirementScheduleTest, APostponedSlotIsLookedAtABoundedNumberOfTimes) {
  TestSchedule test(1);
  Slot& slot = test.add();
  Instant now = slot.retire_at - 1min;
  int looks = 0;
  while (now < slot.stale_at) {
    test.schedule.postpone(slot, now);
    const Instant next = test.schedule.next_at();
    ASSERT_GT(next, now);
    ASSERT_LE(next, slot.stale_at);
    now = next;
    ++looks;
  }

  EXPECT_LT(looks, 100);
}

TEST(RetirementScheduleTest, ASuspendedSlotIsDueNoMore) {
  TestSchedule test(2);
  Slot& first = test.add();
  const Slot& second = test.add();

  test.schedule.suspend(first);

  EXPECT_EQ(test.schedule.pop_due(kNever), &second);
  EXPECT_EQ(test.schedule.pop_due(kNever), nullptr);
  EXPECT_EQ(test.schedule.size(), 2u);
}

RC_GTEST_PROP(RetirementScheduleTest, WhatIsDueComesOutInTheOrderOfTime, ()) {
  TestSchedule test(8);
  std::vector<Slot*> slots;
  for (int i = 0; i < 8; ++i) slots.push_back(&test.add());
  const auto times = *rc::gen::container<std::vector<int>>(8, rc::gen::inRange(0, 6));
  for (std::size_t i = 0; i < slots.size(); ++i)
    test.schedule.set(*slots[i], kBirth + times[i] * 1s);

  const Instant now = kBirth + 3s;
  const Slot* before = nullptr;
  std::size_t due = 0;
  while (const Slot* slot = test.schedule.pop_due(now)) {
    RC_ASSERT(slot->next_event <= now);
    const bool is_in_order = before == nullptr || before->next_event < slot->next_event ||
                             (before->next_event == slot->next_event && before->id < slot->id);
    RC_ASSERT(is_in_order);
    before = slot;
    ++due;
  }
  RC_ASSERT(due ==
            static_cast<std::size_t>(std::ranges::count_if(times, [](int t) { return t <= 3; })));
  RC_ASSERT(test.schedule.empty() || test.schedule.next_at() > now);
}

}  // namespace
}  // namespace forebay
