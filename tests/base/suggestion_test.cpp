#include "forebay/base/suggestion.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(SuggestionTest, TheNearestWordIsMeant) {
  const std::vector<std::string> known = {"--seconds", "--ready", "--rate", "--connections"};

  EXPECT_EQ(nearest("--secnds", known), "--seconds");
  EXPECT_EQ(nearest("--conn", known), "--connections");
  EXPECT_EQ(nearest("--reaty", known), "--ready");
  EXPECT_EQ(nearest("--verbose", known), "");
  EXPECT_EQ(nearest("", {}), "");
}

}  // namespace
}  // namespace forebay
