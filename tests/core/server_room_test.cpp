// ServerRoom: a full server keeps nothing from those that live, and room that comes is soon used.
#include "forebay/core/server_room.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kFullAt{1h};
constexpr BackoffRule kEverySecond{1s, 1s, 0};

TEST(ServerRoomTest, NothingIsKnownOfAServerThatHasNotSaidSo) {
  ServerRoom room;
  room.note_opened(40);

  EXPECT_EQ(room.left(40, 3), ServerRoom::kUnlimited);
}

TEST(ServerRoomTest, AFullServerHasWhatItHadAndOneMoreNowAndThen) {
  ServerRoom room;
  SeededRandom random(1);

  EXPECT_TRUE(room.note_full(kFullAt, 40, kEverySecond, random));
  EXPECT_FALSE(room.note_full(kFullAt + 1ms, 40, kEverySecond, random)) << "of the same burst";

  EXPECT_EQ(room.left(40, 0), 0);
  EXPECT_EQ(room.left(35, 2), 3);
  EXPECT_EQ(room.left(40, 1), -1);
  EXPECT_EQ(room.beyond(), 1);
  EXPECT_EQ(room.try_from(), kFullAt + 1s);
  EXPECT_EQ(room.refusals(), 1);
}

TEST(ServerRoomTest, RoomThatCameIsUsedTwiceAsFastEachTime) {
  ServerRoom room;
  SeededRandom random(1);
  room.note_full(kFullAt, 10, kEverySecond, random);
  int rounds = 0;
  int sessions = 10;
  while (room.left(sessions, 0) != ServerRoom::kUnlimited && rounds < 20) {
    const int tried = room.left(sessions, 0) + room.beyond();
    for (int i = 0; i < tried; ++i) room.note_opened(++sessions);
    ++rounds;
  }

  EXPECT_EQ(rounds, 6) << "1, 2, 4, 8, 16, and then it is not full";
  EXPECT_LE(room.try_from(), kFullAt) << "none of them waits";
}

TEST(ServerRoomTest, WhatOthersTookIsNotCountedOn) {
  ServerRoom room;
  SeededRandom random(1);
  room.note_full(kFullAt, 40, kEverySecond, random);
  room.note_opened(41);

  room.note_full(kFullAt + 5s, 30, kEverySecond, random);
  EXPECT_EQ(room.left(30, 0), 10) << "it may be late to forget one of ours";
  for (int i = 0; i < 10; ++i) room.note_full(kFullAt + 5s, 30, kEverySecond, random);

  EXPECT_EQ(room.left(30, 0), 0);
  EXPECT_EQ(room.beyond(), 1);
}

}  // namespace
}  // namespace forebay
