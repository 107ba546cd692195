#include "forebay/core/server_door.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{};

int let_in(ServerDoor& door, int tries, Instant now) {
  int accepted = 0;
  for (int i = 0; i < tries; ++i) accepted += door.admit(0, now) == Admission::accepted ? 1 : 0;
  return accepted;
}

TEST(ServerDoorTest, TheBucketStartsFullAndComesBackAtTheRate) {
  ServerDoor door(100, 1'000, std::nullopt);
  EXPECT_EQ(door.allowed_now(kStart), 1'000);
  EXPECT_EQ(let_in(door, 5'000, kStart), 1'000);
  EXPECT_EQ(door.admit(0, kStart), Admission::over_rate);
  EXPECT_EQ(let_in(door, 5'000, kStart + 10ms), 1);
  EXPECT_EQ(let_in(door, 5'000, kStart + 1s), 99);
  EXPECT_EQ(let_in(door, 5'000, kStart + 1h), 1'000);
}

TEST(ServerDoorTest, AClientAsFastAsItCanGetsTheBurstAndThenTheRate) {
  ServerDoor door(100, 1'000, std::nullopt);
  int accepted = 0;
  for (Duration at{}; at < 30s; at += 137us) accepted += let_in(door, 1, kStart + at);
  EXPECT_NEAR(accepted, 1'000 + 30 * 100, 2);
}

TEST(ServerDoorTest, ARefusalByTheRateCostsNothingAndOneByTheCapCostsAPlace) {
  ServerDoor door(1, 2, 5);
  EXPECT_EQ(door.admit(5, kStart), Admission::over_cap);
  EXPECT_EQ(door.admit(4, kStart), Admission::accepted);
  EXPECT_EQ(door.admit(5, kStart), Admission::over_rate);
  EXPECT_EQ(door.admit(4, kStart + 1s), Admission::accepted);
}

TEST(ServerDoorTest, RefusalsAreThoseThatAreDocumented) {
  EXPECT_EQ(refusal_at_door(Admission::over_cap).sqlstate(), "53300");
  EXPECT_EQ(refusal_at_door(Admission::over_cap).text(),
            "Unable to accept connection, too many open connections.");
  EXPECT_EQ(refusal_at_door(Admission::over_rate).sqlstate(), "53400");
  EXPECT_EQ(refusal_at_door(Admission::over_rate).text(),
            "Unable to accept connection, rate exceeded.");
}

}  // namespace
}  // namespace forebay
