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

TEST(SuggestionTest, NamesAreTheSameHoweverTheyAreJoined) {
  const std::vector<std::string> known = {"target_ready", "max"};

  EXPECT_EQ(nearest_name("targetReady", known), "target_ready");
  EXPECT_EQ(nearest_name("TARGET-READY", known), "target_ready");
  EXPECT_EQ(suggestion("tarket_ready", known), "; did you mean target_ready?");
  EXPECT_EQ(suggestion("something", known), "; known here: target_ready, max");
}

TEST(SuggestionTest, WhatIsShownFitsOnALine) {
  EXPECT_EQ(shown("a\nb"), "\"a?b\"");
  EXPECT_EQ(shown(std::string(50, 'x')), "\"" + std::string(40, 'x') + "...\"");
  EXPECT_EQ(shown(std::string(39, 'x') + "\xc3\xa4y"), "\"" + std::string(39, 'x') + "...\"");
}

}  // namespace
}  // namespace forebay
