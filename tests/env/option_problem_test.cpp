#include "forebay/env/option_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/env/option_rules.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(OptionProblemTest, ASentenceIsMadeOfTheOptionOrOfTheReadersNameForIt) {
  const OptionProblem problem("size.max", "0", "it must be at least 1");

  EXPECT_EQ(sentence(problem), "size.max is 0: it must be at least 1");
  EXPECT_EQ(sentence("--connections", problem), "--connections is 0: it must be at least 1");
}

TEST(OptionProblemTest, AValueThatMustNotBeShownIsNot) {
  EXPECT_EQ(sentence(OptionProblem("target", "", "it has no host")),
            "target (not shown): it has no host");
}

TEST(OptionProblemTest, OptionsWithinOthersHaveBothNames) {
  OptionProblems problems;
  problems.emplace_back("stint", "0s", "it must be more");
  OptionProblems inner;
  inner.emplace_back("lifetime", "-1s", "it must be longer");
  append(problems, within("pool", inner));

  EXPECT_THAT(sentences(problems), ElementsAre("stint is 0s: it must be more",
                                               "pool.lifetime is -1s: it must be longer"));
  EXPECT_EQ(invalid_options(problems).code(), Errc::invalid);
  EXPECT_EQ(invalid_options(problems).text(),
            "stint is 0s: it must be more\npool.lifetime is -1s: it must be longer");
}

TEST(OptionRulesTest, EachRuleHasItsLimits) {
  OptionRules rules;
  EXPECT_TRUE(rules.whole("a", 1, 1, 3, "few"));
  EXPECT_TRUE(rules.whole("a", 3, 1, 3, "few"));
  EXPECT_TRUE(rules.time("b", 1s, 1s, 2s));
  EXPECT_TRUE(rules.positive_time("c", 24h * 365));
  EXPECT_TRUE(rules.time_or_zero("d", 0s));
  EXPECT_TRUE(rules.time_or_never("e", Duration::max()));
  EXPECT_THAT(rules.take(), IsEmpty());

  EXPECT_FALSE(rules.whole("a", 4, 1, 3, "few"));
  EXPECT_FALSE(rules.time("b", 3s, 1s, 2s));
  EXPECT_FALSE(rules.positive_time("c", 0s));
  EXPECT_FALSE(rules.time_or_zero("d", 24h * 366));
  EXPECT_FALSE(rules.time_or_never("e", -1ms));
  EXPECT_THAT(
      sentences(rules.take()),
      ElementsAre("a is 4: it must be between 1 and 3 (few)", "b is 3s: it must be from 1s to 2s",
                  "c is 0s: it must be more than zero and at most 365 days",
                  "d is 8784h: it must be zero or more and at most 365 days",
                  "e is -1ms: it must be more than zero and at most 365 days"));
}

}  // namespace
}  // namespace forebay
