// FOREBAY_CHECK stops the process, says where and shows the state; otherwise it costs nothing.
#include "forebay/detail/base/check.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(CheckTest, ATrueConditionGoesOnWithoutBuildingTheState) {
  int states_built = 0;
  const auto state = [&states_built] {
    ++states_built;
    return "state";
  };

  FOREBAY_CHECK(1 + 1 == 2, state());

  EXPECT_EQ(states_built, 0);
}

TEST(CheckDeathTest, ABrokenPromiseStopsTheProcessAndSaysWhere) {
  const int ready = 3;

  EXPECT_DEATH(FOREBAY_CHECK(ready == 4),
               "internal error at .*check_test.cpp:[0-9]+: expected ready == 4");
}

TEST(CheckDeathTest, TheStateIsShown) {
  const std::string state = "ready=3 lent=5";

  EXPECT_DEATH(FOREBAY_CHECK(false, state), "expected false; ready=3 lent=5");
}

}  // namespace
}  // namespace forebay
