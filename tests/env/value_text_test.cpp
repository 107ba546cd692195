#include "forebay/env/value_text.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

TEST(ValueTextTest, WordsForTrueAndFalse) {
  for (const char* word : {"true", "TRUE", "yes", "on", "t", "T", "1"})
    EXPECT_EQ(bool_value(word), true) << word;
  for (const char* word : {"false", "False", "no", "off", "f", "0"})
    EXPECT_EQ(bool_value(word), false) << word;
  for (const char* word : {"", "2", "ture", " true"})
    EXPECT_FALSE(bool_value(word).has_value()) << word;
}

TEST(ValueTextTest, NumbersInARange) {
  EXPECT_EQ(whole_value("50"), 50);
  EXPECT_EQ(whole_value("-3"), -3);
  EXPECT_EQ(whole_value("7", 1, 6).error(), "7 is not between 1 and 6");
  EXPECT_EQ(whole_value("1.5").error(), "\"1.5\" is not a whole number; write it like 50");
  EXPECT_FALSE(whole_value("99999999999").has_value());
  EXPECT_EQ(number_value("0.25"), 0.25);
  EXPECT_FALSE(number_value("fast").has_value());
}

TEST(ValueTextTest, TimesAndChoices) {
  EXPECT_EQ(time_value("1h30m"), Duration(90min));
  EXPECT_EQ(time_value("-5s"), Duration(-5s));
  EXPECT_FALSE(time_value("5").has_value());
  EXPECT_EQ(choice_value("local", {"hold", "local"}), 1u);
  EXPECT_EQ(choice_value("locale", {"hold", "local"}).error(),
            "\"locale\" is unknown; did you mean local?");
}

}  // namespace
}  // namespace forebay
