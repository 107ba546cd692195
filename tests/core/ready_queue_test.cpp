// ReadyQueue against a vector sorted by idleness.
#include "forebay/core/ready_queue.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

// A queue with slots of its own, which all leave before it dies.
class TestQueue {
 public:
  explicit TestQueue(TakeOrder order = TakeOrder::newest_first, int slots = 4, int homes = 0)
      : capacity_(slots), queue(order, homes) {
    for (int i = 0; i < slots; ++i) {
      const auto id = static_cast<std::uint64_t>(i);
      slots_.push_back(std::make_unique<Slot>(id, *capacity_.try_approve()));
    }
  }
  ~TestQueue() {
    while (Slot* slot = queue.longest_idle()) queue.remove(*slot);
  }
  Slot& slot(std::size_t index) { return *slots_[index % slots_.size()]; }
  // For a check and back, as the pool does it.
  void send_away(std::size_t index) {
    slot(index).state = SlotState::checking;
    queue.send_away(slot(index));
  }
  void put_back(std::size_t index, Instant now) {
    slot(index).state = SlotState::ready;
    queue.put_back(slot(index), now);
  }
  std::vector<std::uint64_t> ids_by_idleness() const {
    std::vector<std::uint64_t> ids;
    for (const Slot* slot = queue.longest_idle(); slot != nullptr; slot = queue.less_idle(*slot)) {
      ids.push_back(slot->id);
    }
    return ids;
  }

 private:
  Capacity capacity_;
  std::vector<std::unique_ptr<Slot>> slots_;

 public:
  ReadyQueue queue;
};

using Ids = std::vector<std::uint64_t>;

TEST(ReadyQueueTest, ALoopFindsItsOwnFirstAndOtherwiseAnybodys) {
  TestQueue test(TakeOrder::newest_first, 4, 3);
  for (const std::size_t index : {0u, 1u, 2u}) {
    test.slot(index).home = index == 2 ? 1 : 0;
    test.queue.add(test.slot(index));
  }
  test.queue.add(test.slot(3));  // nobody's
  test.queue.stamp(Instant(1s));

  EXPECT_EQ(test.queue.next(), &test.slot(3));
  EXPECT_EQ(test.queue.next(0), &test.slot(1));
  EXPECT_EQ(test.queue.next(1), &test.slot(2));
  EXPECT_EQ(test.queue.next(2), &test.slot(3));

  test.send_away(1);
  test.queue.audit();
  EXPECT_EQ(test.queue.next(0), &test.slot(0)) << "the other is away";
  test.put_back(1, Instant(2s));
  test.queue.audit();
  EXPECT_EQ(test.queue.next(0), &test.slot(0)) << "it has been idle for longer";
  test.queue.remove(test.slot(0));
  EXPECT_EQ(test.queue.next(0), &test.slot(1));
  test.queue.remove(test.slot(1));
  EXPECT_EQ(test.queue.next(0), &test.slot(3));
  test.queue.audit();
}

TEST(ReadyQueueTest, AnEmptyQueueHasNothingNext) {
  const TestQueue test;

  EXPECT_TRUE(test.queue.empty());
  EXPECT_EQ(test.queue.next(), nullptr);
  EXPECT_EQ(test.queue.longest_idle(), nullptr);
}

TEST(ReadyQueueTest, TheNewestIsNextByDefault) {
  TestQueue test;
  test.queue.add(test.slot(0));
  test.queue.add(test.slot(1));

  const Slot* next = test.queue.next();

  EXPECT_EQ(next, &test.slot(1));
}

TEST(ReadyQueueTest, TheOldestIsNextWhenAskedFor) {
  TestQueue test(TakeOrder::oldest_first);
  test.queue.add(test.slot(0));
  test.queue.add(test.slot(1));

  const Slot* next = test.queue.next();

  EXPECT_EQ(next, &test.slot(0));
}

TEST(ReadyQueueTest, AStampDatesOnlyWhatWasAddedSinceTheLast) {
  TestQueue test;
  test.queue.add(test.slot(0));
  test.queue.stamp(Instant(1s));
  test.queue.add(test.slot(1));

  test.queue.stamp(Instant(2s));

  EXPECT_EQ(test.slot(0).idle_since, Instant(1s));
  EXPECT_EQ(test.slot(0).alive_at, Instant(1s));
  EXPECT_EQ(test.slot(1).idle_since, Instant(2s));
  EXPECT_EQ(test.slot(1).alive_at, Instant(2s));
}

TEST(ReadyQueueTest, ACheckedSlotKeepsItsPlaceAndIsAliveNow) {
  TestQueue test;
  for (std::size_t i = 0; i < 3; ++i) {
    test.queue.add(test.slot(i));
    test.queue.stamp(Instant(1s * i));
  }
  test.queue.add(test.slot(3));

  test.send_away(1);
  EXPECT_EQ(test.ids_by_idleness(), (Ids{0, 2, 3}));
  test.put_back(1, Instant(9s));

  EXPECT_EQ(test.ids_by_idleness(), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(test.queue.longest_silent(), &test.slot(0));
  EXPECT_EQ(test.slot(1).idle_since, Instant(1s));
  EXPECT_EQ(test.slot(1).alive_at, Instant(9s));
}

// The clock was read before the lock was taken, so a later stamp may come with
// an earlier time.
TEST(ReadyQueueTest, ALateStampWithAnEarlierTimeKeepsTheOrder) {
  TestQueue test;
  test.queue.add(test.slot(0));
  test.queue.stamp(Instant(5s));
  test.queue.add(test.slot(1));

  test.queue.stamp(Instant(4s));

  test.queue.audit();
  EXPECT_EQ(test.slot(1).idle_since, Instant(5s));
}

// The model: a vector from longest to least idle, sorted by time of stamp; what has none is
// at the end.
struct Entry {
  Slot* slot;
  Instant idle_since;
};

RC_GTEST_PROP(ReadyQueueProperty, BehavesLikeASortedVector,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& commands,
               bool is_newest)) {
  const TakeOrder order = is_newest ? TakeOrder::newest_first : TakeOrder::oldest_first;
  TestQueue test(order, 16);
  std::vector<Entry> model;
  Instant now{1h};
  Instant last_stamp{};

  for (const auto& [choice, time] : commands) {
    Slot& slot = test.slot(choice);
    const auto entry = std::ranges::find(model, &slot, &Entry::slot);
    if (choice >= 208) {
      now += Duration(time % 4);
      last_stamp = std::max(last_stamp, now - Duration(time % 3));
      test.queue.stamp(now - Duration(time % 3));
      for (Entry& each : model) each.idle_since = std::min(each.idle_since, last_stamp);
    } else if (entry == model.end()) {
      test.queue.add(slot);
      model.push_back({&slot, kNever});
    } else if (choice >= 128 && entry->idle_since != kNever) {  // checked and put back at once
      test.send_away(choice);
      test.queue.audit();
      RC_ASSERT(test.queue.size() + 1 == static_cast<int>(model.size()));
      test.put_back(choice, now);
      last_stamp = std::max(last_stamp, now);
      RC_ASSERT(slot.alive_at == now);
    } else {
      test.queue.remove(slot);
      model.erase(entry);
    }

    test.queue.audit();
    Ids expected;
    for (const Entry& each : model) {
      expected.push_back(each.slot->id);
      RC_ASSERT(each.slot->idle_since == each.idle_since);
    }
    RC_ASSERT(test.ids_by_idleness() == expected);
    RC_ASSERT(test.queue.size() == static_cast<int>(model.size()));
    if (model.empty()) continue;
    RC_ASSERT(test.queue.next() == (is_newest ? model.back().slot : model.front().slot));
  }
}

}  // namespace
}  // namespace forebay
