// ConnectPacer: whatever is taken and given back, starts in any window stay within rate *
// window + burst.
#include "forebay/core/connect_pacer.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{};

TEST(ConnectPacerTest, AFullBucketGivesExactlyItsBurstAtOnce) {
  ConnectPacer pacer(100.0, 3);

  std::vector<Instant> starts;
  for (int i = 0; i < 5; ++i) starts.push_back(pacer.take(kStart));

  const Instant later = kStart + 10ms;
  const Instant latest = kStart + 20ms;
  EXPECT_EQ(starts, (std::vector{kStart, kStart, kStart, later, latest}));
}

TEST(ConnectPacerTest, ARateThatDoesNotDivideASecondIsRoundedTheSafeWay) {
  const ConnectPacer pacer(3.0, 1);

  EXPECT_EQ(pacer.interval(), Duration(333'333'334));
}

TEST(ConnectPacerTest, RestingLongerThanTheBurstIsWorthNothingMore) {
  ConnectPacer pacer(100.0, 2);
  for (int i = 0; i < 5; ++i) pacer.take(kStart);
  const Instant rested = kStart + 1h;

  const std::vector starts = {pacer.take(rested), pacer.take(rested), pacer.take(rested)};

  const Instant later = rested + 10ms;
  EXPECT_EQ(starts, (std::vector{rested, rested, later}));
}

TEST(ConnectPacerTest, ThePlaceThatIsGivenBackIsTheNextOneAgain) {
  ConnectPacer pacer(100.0, 1);
  pacer.take(kStart);
  const Instant unused = pacer.take(kStart);

  pacer.give_back(unused);
  const Instant again = pacer.take(kStart);

  EXPECT_EQ(unused, kStart + 10ms);
  EXPECT_EQ(again, unused);
}

// Later places are already promised: moving the next one forward would start two attempts together.
TEST(ConnectPacerTest, APlaceGivenBackFromTheMiddleDoesNotDoubleALaterOne) {
  ConnectPacer pacer(100.0, 1);
  pacer.take(kStart);
  const Instant middle = pacer.take(kStart);
  const Instant last = pacer.take(kStart);

  pacer.give_back(middle);
  const Instant next = pacer.take(middle);

  EXPECT_GE(next, last + 10ms);
}

TEST(ConnectPacerTest, APlaceGivenBackAfterARestAddsNothingToAFullBucket) {
  ConnectPacer pacer(100.0, 1);
  const Instant old = pacer.take(kStart);
  const Instant rested = kStart + 1h;
  pacer.take(rested);

  pacer.give_back(old);
  const Instant next = pacer.take(rested);

  EXPECT_EQ(next, rested + 10ms);
}

TEST(ConnectPacerDeathTest, ARateOfZeroStopsTheProcess) {
  EXPECT_DEATH(ConnectPacer(0.0, 1), "rate > 0");
  EXPECT_DEATH(ConnectPacer(1.0, 0), "burst >= 1");
}

// n starts between the first and the last of them need n - burst intervals, for every pair.
bool is_within_rate(std::vector<Instant> starts, Duration interval, int burst) {
  std::ranges::sort(starts);
  for (std::size_t first = 0; first < starts.size(); ++first) {
    for (std::size_t last = first; last < starts.size(); ++last) {
      const auto number = static_cast<std::int64_t>(last - first + 1);
      if (starts[last] - starts[first] < interval * (number - burst)) return false;
    }
  }
  return true;
}

// The model: every start that was promised and not given back.
RC_GTEST_PROP(ConnectPacerProperty, StartsInAnyWindowStayWithinRateAndBurst,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& commands)) {
  const double rate = *rc::gen::element(0.5, 3.0, 100.0, 1'000.0, 1e9);
  const int burst = *rc::gen::inRange(1, 6);
  ConnectPacer pacer(rate, burst);
  std::vector<Instant> starts;
  Instant now{};

  for (const auto& [choice, value] : commands) {
    if (choice < 160) {
      const Instant expected = pacer.next_start(now);
      const Instant start = pacer.take(now);
      RC_ASSERT(start >= now);
      RC_ASSERT(start == expected);
      starts.push_back(start);
    } else if (choice < 208 && !starts.empty()) {
      // Mostly the last one, as when a burst of attempts turns out to be needless.
      const std::size_t index = value < 128 ? starts.size() - 1 : value % starts.size();
      pacer.give_back(starts[index]);
      starts.erase(starts.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
      now += pacer.interval() * value / 64;
    }
  }

  RC_ASSERT(is_within_rate(starts, pacer.interval(), burst));
  RC_ASSERT(static_cast<double>(pacer.interval().count()) * rate >= 1e9);
}

RC_GTEST_PROP(ConnectPacerProperty, AnIdleBucketGivesExactlyItsBurst, ()) {
  const int burst = *rc::gen::inRange(1, 50);
  const int used = *rc::gen::inRange(0, 100);
  ConnectPacer pacer(100.0, burst);
  for (int i = 0; i < used; ++i) pacer.take(kStart);

  const Instant rested = kStart + pacer.interval() * (used + burst);
  int at_once = 0;
  while (pacer.take(rested) == rested) ++at_once;

  RC_ASSERT(at_once == burst);
}

}  // namespace
}  // namespace forebay
