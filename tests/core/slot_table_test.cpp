// SlotTable beside a plain map from slot to state, under any moves.
#include "forebay/core/slot_table.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

// A table with slots of its own, which all leave before it dies.
class TestTable {
 public:
  explicit TestTable(int slots, int loops = 0)
      : capacity_(slots), table(TakeOrder::newest_first, loops) {
    for (int i = 0; i < slots; ++i) {
      const auto id = static_cast<std::uint64_t>(i);
      slots_.push_back(std::make_unique<Slot>(id, *capacity_.try_approve()));
      table.add(*slots_.back());
    }
  }
  ~TestTable() {
    for (const auto& slot : slots_) {
      table.set_leaving(*slot, false);
      if (slot->state != SlotState::opening && slot->state != SlotState::closing)
        table.move(*slot, SlotState::closing);
      table.remove(*slot);
    }
  }
  Slot& slot(std::size_t index) { return *slots_[index % slots_.size()]; }
  std::size_t size() const { return slots_.size(); }
  Slot& ready(std::size_t index) {
    table.move(slot(index), SlotState::ready);
    return slot(index);
  }

 private:
  Capacity capacity_;
  std::vector<std::unique_ptr<Slot>> slots_;

 public:
  SlotTable table;
};

TEST(SlotTableTest, TheLentStandInTheOrderInWhichTheyWereTaken) {
  TestTable test(3);
  for (std::size_t i = 0; i < 3; ++i) test.ready(i);
  test.table.lend_ready(test.slot(1), Instant(5s));
  test.table.lend(test.slot(0), Instant(7s));
  test.table.lend_ready(test.slot(2), Instant(6s));  // whose clock was read before the lock was had

  EXPECT_EQ(test.table.longest_lent(), &test.slot(1));
  EXPECT_EQ(SlotTable::lent_after(test.slot(1)), &test.slot(0));
  EXPECT_EQ(SlotTable::lent_after(test.slot(0)), &test.slot(2));
  EXPECT_EQ(test.slot(2).taken_at, Instant(7s)) << "no earlier than the one before it";
  test.table.make_lent_ready(test.slot(1));
  EXPECT_EQ(test.table.longest_lent(), &test.slot(0));
  EXPECT_EQ(test.table.ready().next(), &test.slot(1));
  test.table.audit();
}

TEST(SlotTableTest, TheOpeningStandInTheOrderInWhichTheyCame) {
  TestTable test(4);
  test.ready(1);

  EXPECT_EQ(SlotTable::opening_after(test.slot(0)), &test.slot(2)) << "over what is open";
  EXPECT_EQ(SlotTable::opening_after(test.slot(2)), &test.slot(3));
  EXPECT_EQ(SlotTable::opening_after(test.slot(3)), nullptr);
  EXPECT_EQ(test.table.count(SlotState::opening), 3);
  test.table.audit();
}

TEST(SlotTableTest, ACheckedSlotIsNotReadyUntilItIsBack) {
  TestTable test(2);
  test.ready(0);
  test.ready(1);
  test.table.stamp(Instant(1s));

  test.table.begin_check(test.slot(1));
  test.table.audit();
  EXPECT_EQ(test.table.ready().size(), 1);
  EXPECT_EQ(test.table.cleaning(), 1);
  EXPECT_EQ(test.table.open(), 2);

  test.table.end_check(test.slot(1), Instant(2s));
  test.table.audit();
  EXPECT_EQ(test.table.ready().next(), &test.slot(1));
  EXPECT_EQ(test.slot(1).alive_at, Instant(2s));
}

TEST(SlotTableTest, WhoLeavesIsCountedWhereItIs) {
  TestTable test(1);
  Slot& slot = test.ready(0);

  test.table.set_leaving(slot, true);
  EXPECT_EQ(test.table.leaving(), 1);
  test.table.lend_ready(slot, Instant(1s));
  EXPECT_EQ(test.table.leaving(), 0);
  EXPECT_EQ(test.table.leaving_lent(), 1);
  test.table.make_lent_ready(slot);
  EXPECT_EQ(test.table.leaving(), 1);
  EXPECT_EQ(test.table.leaving_lent(), 0);
  test.table.audit();
}

TEST(SlotTableTest, WhatIsHeldIsCountedUntilItIsRemoved) {
  Capacity capacity(1);
  SlotTable table(TakeOrder::newest_first);
  Slot slot(1, *capacity.try_approve());
  table.add(slot);
  table.move(slot, SlotState::closing);

  table.note_held(slot);
  table.audit();
  EXPECT_EQ(table.held(), 1);
  table.remove(slot);
  EXPECT_EQ(table.held(), 0);
  EXPECT_EQ(table.size(), 0);
}

RC_GTEST_PROP(SlotTableTest, CountsAndQueuesFollowEveryMove, ()) {
  constexpr int kSlots = 5;
  constexpr int kLoops = 2;
  TestTable test(kSlots, kLoops);
  std::vector<Slot*> lent;
  Instant now(1h);
  const auto moves = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1 << 16));
  for (const int move : moves) {
    Slot& slot = test.slot(static_cast<std::size_t>(move & 7));
    const auto to = static_cast<SlotState>(move >> 3 & 7);
    now += Duration(move % 3 - 1);
    const bool goes = slot.state != SlotState::closing && to != SlotState::opening &&
                      (to != SlotState::checking || slot.state == SlotState::ready);
    if (goes) std::erase(lent, &slot);
    if (!goes) {
      test.table.set_leaving(slot, slot.state != SlotState::closing && !slot.is_leaving);
    } else if (to == SlotState::checking) {
      test.table.stamp(now);
      test.table.begin_check(slot);
    } else if (to == SlotState::lent) {
      slot.state == SlotState::ready ? test.table.lend_ready(slot, now)
                                     : test.table.lend(slot, now);
      slot.home = move >> 6 & 1;
    } else if (to == SlotState::ready && slot.state == SlotState::lent) {
      test.table.make_lent_ready(slot);
    } else if (to == SlotState::ready && slot.state == SlotState::checking) {
      test.table.end_check(slot, now);
    } else {
      test.table.move(slot, to);
    }
    if (goes && slot.state == SlotState::lent) lent.push_back(&slot);

    test.table.audit();
    RC_ASSERT(test.table.longest_lent() == (lent.empty() ? nullptr : lent.front()));
    int total = 0;
    for (std::size_t i = 0; i < kSlotStates; ++i)
      total += test.table.count(static_cast<SlotState>(i));
    RC_ASSERT(total == kSlots);
  }
}

}  // namespace
}  // namespace forebay
