// PoolRoom: above max after a resize, and what it owes to the others of a budget.
#include "forebay/core/pool_room.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

constexpr bool kAwaited = true;
constexpr bool kServed = true;

// Approvals as connections would hold them.
std::vector<Approval> take(PoolRoom& room, int number) {
  std::vector<Approval> taken;
  for (int i = 0; i < number; ++i) {
    if (auto approval = room.try_approve()) taken.push_back(std::move(*approval));
  }
  return taken;
}

TEST(PoolRoomTest, AfterAResizeToLessThoseAboveGoAndNoMore) {
  PoolRoom room(5, nullptr);
  std::vector<Approval> taken = take(room, 5);
  EXPECT_TRUE(room.is_at_rest());

  room.resize(3);
  EXPECT_FALSE(room.is_at_rest());
  EXPECT_TRUE(room.is_over());
  room.note_going(+1);
  EXPECT_TRUE(room.is_over());
  room.note_going(+1);
  EXPECT_FALSE(room.is_over()) << "two are on their way";
  room.note_shrunk();
  EXPECT_FALSE(room.is_at_rest()) << "they are not gone yet";
  room.audit();

  for (int i = 0; i < 2; ++i) {
    room.note_going(-1);
    taken.pop_back();
  }
  room.note_shrunk();
  EXPECT_TRUE(room.is_at_rest());
  EXPECT_EQ(room.free(), 0);
  room.audit();
}

TEST(PoolRoomTest, HowBadlyItNeedsRoomFollowsFromWhatItHas) {
  PoolRoom room(5, nullptr);
  EXPECT_EQ(room.need(kAwaited), std::nullopt) << "it lacks none";

  room.set_lacking(true);
  EXPECT_EQ(room.need(!kAwaited), RoomNeed::ahead);
  EXPECT_EQ(room.need(kAwaited), RoomNeed::empty_handed);
  std::vector<Approval> taken = take(room, 1);
  EXPECT_EQ(room.need(kAwaited), RoomNeed::waiting);
  room.note_going(+1);
  EXPECT_EQ(room.need(kAwaited), RoomNeed::empty_handed) << "what goes is of no use";
  room.note_going(-1);
}

TEST(PoolRoomTest, ACallIsAnsweredByWhatIsNotAwaited) {
  Capacity budget(10);
  PoolRoom room(5, &budget);
  EXPECT_FALSE(room.is_called(!kAwaited, kServed));

  budget.call(2);
  EXPECT_FALSE(room.is_at_rest());
  EXPECT_TRUE(room.is_called(!kAwaited, !kServed));
  EXPECT_FALSE(room.is_called(kAwaited, kServed)) << "it has not been told to yield";
  room.answer_call(!kAwaited);
  room.answer_call(!kAwaited);
  EXPECT_EQ(budget.calls(), 0);
  EXPECT_FALSE(room.is_called(!kAwaited, kServed));
}

TEST(PoolRoomTest, SoManyAreYieldedAlthoughSomebodyWaits) {
  Capacity budget(10);
  PoolRoom room(5, &budget);
  budget.call(5);
  room.set_yields(1);

  EXPECT_FALSE(room.is_called(kAwaited, !kServed)) << "it serves one caller first";
  EXPECT_TRUE(room.is_called(kAwaited, kServed));
  room.answer_call(kAwaited);
  EXPECT_FALSE(room.is_called(kAwaited, kServed));
  EXPECT_TRUE(room.is_called(!kAwaited, kServed));
  EXPECT_EQ(budget.calls(), 4);
}

// Beside it, plain counters: how many there are, and how many of them are on their way out.
RC_GTEST_PROP(PoolRoomTest, CountsFollowAnythingThatHappens, ()) {
  Capacity budget(6);
  PoolRoom room(4, &budget);
  std::vector<Approval> taken;
  int max = 4;
  int going = 0;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 64));
  for (const int step : steps) {
    const int there = static_cast<int>(taken.size());
    if (step % 4 == 0) {
      std::vector<Approval> one = take(room, 1);
      RC_ASSERT(one.size() == (there < max ? 1u : 0u));
      if (!one.empty()) taken.push_back(std::move(one.front()));
    } else if (step % 4 == 1 && going < there) {
      room.note_going(+1);
      ++going;
    } else if (step % 4 == 2 && going > 0) {
      room.note_going(-1);
      --going;
      taken.pop_back();
    } else if (step % 4 == 3) {
      max = 1 + step / 4 % 6;
      room.resize(max);
    }
    RC_ASSERT(room.approved() == static_cast<int>(taken.size()));
    RC_ASSERT(room.going() == going && budget.going() == going);
    RC_ASSERT(room.is_over() == (static_cast<int>(taken.size()) - going > max));
    room.note_shrunk();
    RC_ASSERT(room.is_at_rest() == (static_cast<int>(taken.size()) <= max));
    room.audit();
  }
  room.note_going(-going);
}

}  // namespace
}  // namespace forebay
