#include "forebay/sim/result/result.hpp"

#include <gtest/gtest.h>

namespace forebay::sim {
namespace {

TEST(RunResultTest, HoldsWhenEveryAssertionHoldsAndNoPromiseIsBroken) {
  RunResult result;
  EXPECT_TRUE(result.holds());

  result.assertions = {{"a", true, "", "", {}}, {"b", true, "", "", {}}};
  EXPECT_TRUE(result.holds());

  result.assertions[1].holds = false;
  EXPECT_FALSE(result.holds());

  result.assertions.clear();
  result.broken_promise = BrokenPromise();
  EXPECT_FALSE(result.holds());
}

}  // namespace
}  // namespace forebay::sim
