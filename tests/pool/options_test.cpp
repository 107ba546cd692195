// Bad options are refused before anything starts, all of them at once.
#include "forebay/pool/options.hpp"

#include <gmock/gmock.h>

#include "forebay/pool/rules_of.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(OptionsTest, TheDefaultsAreFine) { EXPECT_THAT(problems(PoolOptions()), IsEmpty()); }

TEST(OptionsTest, ATargetAboveMaxIsNamedWithBothNumbers) {
  PoolOptions options;
  options.supply = Supply::reservoir;
  options.size.max = 20;
  options.size.target_ready = 25;
  options.size.low_watermark = 10;

  EXPECT_THAT(sentences(problems(options)),
              ElementsAre("size.target_ready is 25: it must be between 1 and 20 (it is a share of "
                          "all connections)"));
}

TEST(OptionsTest, AGuardWindowLongerThanTheShortestLifeIsRefused) {
  PoolOptions options;
  options.lifetime = 60s;
  options.lifetime_jitter = 40s;
  options.guard_window = 45s;

  EXPECT_THAT(sentences(problems(options)),
              ElementsAre("guard_window is 45s: it must be shorter than the shortest life, 40s (a "
                          "lifetime of 1m, less half of a jitter of 40s)"));
}

TEST(OptionsTest, AServerThatCutsEarlierShortensTheShortestLife) {
  PoolOptions options;
  options.lifetime = 11min;
  options.server_limit = 5min;
  options.longest_transaction = 5min;

  EXPECT_THAT(sentences(problems(options)),
              ElementsAre("guard_window is 45s: it must be shorter than the shortest life, 0s (the "
                          "server ends sessions after 5m, less 5m for the longest transaction)"));
}

TEST(OptionsTest, EverythingWrongIsListedAtOnce) {
  PoolOptions options;
  options.size.max = 0;
  options.size.min_idle = -1;
  options.lifetime = 0s;
  options.lifetime_jitter = -1s;
  options.connect_timeout = -5s;
  options.connect_rate = -1;
  options.connect_burst = 0;
  options.max_opening = 0;
  options.backoff.first = 10s;

  EXPECT_THAT(
      sentences(problems(options)),
      ElementsAre(StartsWith("size.max is 0: "), StartsWith("size.min_idle is -1: "),
                  StartsWith("max_opening is 0: "), StartsWith("lifetime is 0s: "),
                  StartsWith("lifetime_jitter is -1s: "),
                  StartsWith("connect_rate is -1 a second: "), StartsWith("connect_burst is 0: "),
                  StartsWith("connect_timeout is -5s: "),
                  "backoff.longest is 5s: it must not be shorter than the first wait, 10s"));
}

TEST(OptionsTest, WhatIsWrongOnlyBesideAWrongValueIsNotTold) {
  PoolOptions options;
  options.supply = Supply::reservoir;
  options.size.max = 0;
  options.size.target_ready = 5;
  options.size.max_ready = 7;
  options.lifetime = -1s;

  const OptionProblems wrong = problems(options);

  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_EQ(wrong[0].option, "size.max");
  EXPECT_EQ(wrong[0].value, "0");
  EXPECT_EQ(wrong[1].option, "lifetime");
  EXPECT_EQ(wrong[1].value, "-1s");
  EXPECT_EQ(wrong[1].text, "it must be more than zero and at most 365 days");
}

TEST(OptionsTest, SessionSettingsThatCannotWorkAreRefused) {
  PoolOptions options;
  options.session_settings = {{"search_path", "app, public"}, {"app.user$_1", ""}};
  EXPECT_THAT(problems(options), IsEmpty());

  options.session_settings = {
      {"", "x"}, {"1st", "x"}, {"a b", "x"}, {"jit", std::string("o\0n", 3)}, {"Role", "admin"}};
  const std::string name =
      "a setting is called by letters, digits, '_', '.' and '$', and a letter comes first";
  EXPECT_THAT(
      sentences(problems(options)),
      ElementsAre("session_settings is \"\": " + name, "session_settings is \"1st\": " + name,
                  "session_settings is \"Role\": each reset undoes it: connect as that "
                  "role, or set it in after_connect",
                  "session_settings is \"a b\": " + name,
                  "session_settings is \"jit\": its value contains a zero byte"));

  options.session_settings = {{"app.long", std::string(8'000, 'x')}};
  EXPECT_THAT(sentences(problems(options)),
              ElementsAre("session_settings is 8008 bytes: all names and values together have 8000 "
                          "bytes at most"));
}

TEST(OptionsTest, AReservoirAimsAtMaxUnlessTold) {
  PoolOptions options;
  options.supply = Supply::reservoir;
  options.size.max = 50;

  const PoolRules rules = rules_of(options);

  EXPECT_EQ(rules.supply.target_ready, 50);
  EXPECT_EQ(rules.low_watermark, 50);
  EXPECT_EQ(rules.max_ready, 50);
}

}  // namespace
}  // namespace forebay::test
