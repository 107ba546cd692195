// RetirementSpacer: inside the connection's life, and apart from every other retirement.
#include "forebay/core/retirement_spacer.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kOpened{};

TEST(RetirementSpacerTest, ALoneConnectionKeepsItsWholeLife) {
  RetirementSpacer spacer;
  SeededRandom random(1);

  const Instant retire_at = spacer.choose(kOpened, kOpened + 10min, 10, random);

  EXPECT_EQ(retire_at, kOpened + 10min);
}

TEST(RetirementSpacerTest, ABurstIsSpreadOverTheSecondHalfOfItsLife) {
  RetirementSpacer spacer;
  SeededRandom random(1);

  std::vector<Instant> chosen;
  for (int i = 0; i < 5; ++i) {
    chosen.push_back(spacer.choose(kOpened, kOpened + 10min, 5, random));
  }

  std::vector<Instant> expected;
  for (int i = 0; i < 5; ++i) expected.push_back(kOpened + 10min - i * 1min);
  EXPECT_EQ(chosen, expected);
}

TEST(RetirementSpacerTest, AReleasedPlaceIsTakenAgain) {
  RetirementSpacer spacer;
  SeededRandom random(1);
  const Instant first = spacer.choose(kOpened, kOpened + 10min, 5, random);
  spacer.choose(kOpened, kOpened + 10min, 5, random);

  spacer.release(first);
  const Instant again = spacer.choose(kOpened, kOpened + 10min, 5, random);

  EXPECT_EQ(again, first);
  EXPECT_EQ(spacer.size(), 2u);
}

TEST(RetirementSpacerTest, ANeighbourThatRetiresALittleLaterIsAvoidedToo) {
  RetirementSpacer spacer;
  SeededRandom random(1);
  const Instant neighbour = spacer.choose(kOpened, kOpened + 10min + 20s, 5, random);

  const Instant retire_at = spacer.choose(kOpened, kOpened + 10min, 5, random);

  EXPECT_EQ(retire_at, neighbour - 1min);
}

TEST(RetirementSpacerTest, MoreConnectionsThanPlacesAreSpreadByChance) {
  RetirementSpacer spacer;
  SeededRandom random(1);

  std::vector<Instant> chosen;
  for (int i = 0; i < 40; ++i) {
    chosen.push_back(spacer.choose(kOpened, kOpened + 10min, 5, random));
  }

  EXPECT_TRUE(std::ranges::all_of(
      chosen, [](Instant at) { return at >= kOpened + 5min && at <= kOpened + 10min; }));
}

// The search gives up after a bounded number of places, or the last of these would look at
// all before it.
TEST(RetirementSpacerTest, ThousandsOpenedAtOnceArePlacedQuickly) {
  constexpr int kConnections = 5'000;
  RetirementSpacer spacer;
  SeededRandom random(1);

  Instant earliest = kNever;
  for (int i = 0; i < kConnections; ++i) {
    earliest = std::min(earliest, spacer.choose(kOpened, kOpened + 10min, kConnections, random));
  }

  EXPECT_GE(earliest, kOpened + 5min);
  EXPECT_EQ(spacer.size(), static_cast<std::size_t>(kConnections));
}

TEST(RetirementSpacerDeathTest, ReleasingTwiceStopsTheProcess) {
  RetirementSpacer spacer;
  SeededRandom random(1);
  const Instant retire_at = spacer.choose(kOpened, kOpened + 10min, 5, random);
  spacer.release(retire_at);

  EXPECT_DEATH(spacer.release(retire_at), "released twice");
}

Duration smallest_gap(std::vector<Instant> times) {
  std::ranges::sort(times);
  Duration smallest = Duration::max();
  for (std::size_t i = 1; i < times.size(); ++i) {
    smallest = std::min(smallest, times[i] - times[i - 1]);
  }
  return smallest;
}

// The model: the list of all retirements. Lives differ by up to a fifth, as jitter makes them.
RC_GTEST_PROP(RetirementSpacerProperty, ABurstUpToThePoolsSizeKeepsItsGaps, (std::uint64_t seed)) {
  const int pool_size = *rc::gen::inRange(1, 80);
  const int burst = *rc::gen::inRange(1, pool_size + 1);
  const Duration life = std::chrono::milliseconds(*rc::gen::inRange(1'000, 4'000'000));
  const Duration jitter = life / 5 * *rc::gen::inRange(0, 2);
  RetirementSpacer spacer;
  SeededRandom random(seed);

  std::vector<Instant> chosen;
  for (int i = 0; i < burst; ++i) {
    const Instant stale = kOpened + life - random.between(0ns, jitter);
    const Instant retire_at = spacer.choose(kOpened, stale, pool_size, random);
    RC_ASSERT(retire_at > kOpened);
    RC_ASSERT(retire_at <= stale);
    chosen.push_back(retire_at);
  }

  const Duration half_life = (life - jitter) / 2;
  RC_ASSERT(smallest_gap(chosen) >= half_life / pool_size);
}

// Any order of opening and closing, any lives: always inside the life.
RC_GTEST_PROP(RetirementSpacerProperty, EveryChoiceLiesInsideTheLife,
              (const std::vector<std::pair<std::uint8_t, std::uint16_t>>& commands)) {
  const int pool_size = *rc::gen::inRange(1, 10);
  RetirementSpacer spacer;
  SeededRandom random(7);
  std::vector<Instant> taken;
  Instant now{};

  for (const auto& [choice, value] : commands) {
    now += Duration(value % 50);
    if (choice >= 160 && !taken.empty()) {
      const std::size_t index = value % taken.size();
      spacer.release(taken[index]);
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
      const Instant stale = now + Duration(2 + value);
      const Instant retire_at = spacer.choose(now, stale, pool_size, random);
      RC_ASSERT(retire_at > now);
      RC_ASSERT(retire_at <= stale);
      taken.push_back(retire_at);
    }
    RC_ASSERT(spacer.size() == taken.size());
  }
}

}  // namespace
}  // namespace forebay
