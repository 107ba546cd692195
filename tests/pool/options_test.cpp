// Bad options are refused before anything starts, all of them at once.
#include "forebay/pool/options.hpp"

#include <gmock/gmock.h>

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(OptionsTest, TheDefaultsAreFine) { EXPECT_THAT(problems(PoolOptions()), IsEmpty()); }

TEST(OptionsTest, ATargetAboveMaxIsNamedWithBothNumbers) {
  PoolOptions options;
  options.supply = Supply::reservoir;
  options.size.max = 20;
  options.size.target_ready = 25;
  options.size.low_watermark = 10;

  EXPECT_THAT(
      problems(options),
      ElementsAre("target_ready is 25: it must be between 1 and 20 (it is a share of max)"));
}

TEST(OptionsTest, AGuardWindowLongerThanTheShortestLifeIsRefused) {
  PoolOptions options;
  options.lifetime = 60s;
  options.lifetime_jitter = 40s;
  options.guard_window = 45s;

  EXPECT_THAT(problems(options),
              ElementsAre(HasSubstr("guard_window is 45 s: it must be shorter than the shortest "
                                    "life, which is 40 s (lifetime 60 s, lifetime_jitter 40 s")));
}

TEST(OptionsTest, AServerThatCutsEarlierShortensTheShortestLife) {
  PoolOptions options;
  options.lifetime = 11min;
  options.server_limit = 5min;
  options.longest_transaction = 5min;

  EXPECT_THAT(problems(options), ElementsAre(HasSubstr("which is 0 us")));
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

  const std::vector<std::string> wrong = problems(options);

  for (const char* option :
       {"max is 0", "min_idle is -1", "lifetime is 0 us", "lifetime_jitter is -1 s",
        "connect_timeout is -5 s", "connect_rate is -1", "connect_burst is 0", "max_opening is 0",
        "backoff goes from 10 s to 5 s"}) {
    EXPECT_THAT(wrong, testing::Contains(HasSubstr(option)));
  }
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

TEST(OptionsTest, TimesAreWrittenForPeople) {
  EXPECT_EQ(describe(Duration(1500)), "1.5 us");
  EXPECT_EQ(describe(250ms), "250 ms");
  EXPECT_EQ(describe(12'300ms), "12.3 s");
  EXPECT_EQ(describe(11min), "11 min");
  EXPECT_EQ(describe(Duration::max()), "unlimited");
}

}  // namespace
}  // namespace forebay::test
