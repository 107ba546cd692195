#include "forebay/standin/chaos.hpp"

#include <gtest/gtest.h>

namespace forebay::standin {
namespace {

using namespace std::chrono_literals;

class ChaosTest : public testing::Test {
 protected:
  std::string tell(std::string_view command) {
    return chaos_.apply(command, now_).value_or("done");
  }

  Instant now_ = Instant(1h);
  SeededRandom random_{3};
  Chaos chaos_{random_};
};

TEST_F(ChaosTest, ConflictsComeAtTheirRate) {
  EXPECT_FALSE(chaos_.draw_conflict());
  EXPECT_EQ(tell("conflicts 0.25"), "done");
  int met = 0;
  for (int i = 0; i < 10'000; ++i) met += chaos_.draw_conflict() ? 1 : 0;
  EXPECT_NEAR(met, 2'500, 150);
  EXPECT_EQ(tell("conflicts 1"), "done");
  EXPECT_TRUE(chaos_.draw_conflict());
}

TEST_F(ChaosTest, ItGoesAwayForAWhileAndDropsEverybody) {
  EXPECT_FALSE(chaos_.is_away(now_));
  EXPECT_EQ(tell("go_away 3s"), "done");
  EXPECT_EQ(chaos_.drops(), 1);
  EXPECT_TRUE(chaos_.is_away(now_ + 3s - 1ns));
  EXPECT_FALSE(chaos_.is_away(now_ + 3s));
  EXPECT_EQ(tell("drop_connections"), "done");
  EXPECT_EQ(chaos_.drops(), 2);
}

TEST_F(ChaosTest, TheRestIsAsToldUntilItIsCalm) {
  for (const char* const command : {"wake_up 2", "slow_connects 250ms", "refuse_tokens on"})
    EXPECT_EQ(tell(command), "done");
  EXPECT_TRUE(chaos_.take_wake_up());
  EXPECT_TRUE(chaos_.take_wake_up());
  EXPECT_FALSE(chaos_.take_wake_up());
  EXPECT_EQ(chaos_.connect_delay(), 250ms);
  EXPECT_TRUE(chaos_.refuses_tokens());
  for (const char* const command : {"go_away 1h", "conflicts 1", "calm"})
    EXPECT_EQ(tell(command), "done");
  EXPECT_EQ(chaos_.connect_delay(), Duration::zero());
  EXPECT_FALSE(chaos_.refuses_tokens() || chaos_.is_away(now_) || chaos_.draw_conflict());
}

TEST_F(ChaosTest, WhatMakesNoSenseChangesNothing) {
  EXPECT_EQ(tell("conflicts 2"), "conflicts takes a number from 0 to 1");
  EXPECT_EQ(tell("conflicts nan"), "conflicts takes a number from 0 to 1");
  EXPECT_EQ(tell("refuse_tokens"), "refuse_tokens takes true or false");
  EXPECT_EQ(tell("slow_connects soon"),
            "slow_connects takes a time with its unit, as in '250ms' or '3s'");
  EXPECT_EQ(tell("go_away -1s"), "go_away takes a time with its unit, as in '250ms' or '3s'");
  EXPECT_EQ(tell("wake_up many"), "wake_up takes a number of connects");
  EXPECT_EQ(tell("dance"), "there is no dance");
  EXPECT_FALSE(chaos_.draw_conflict() || chaos_.is_away(now_));
}

}  // namespace
}  // namespace forebay::standin
