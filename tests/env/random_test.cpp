// SplitMix64 gives the published values, and the distributions stay inside their bounds.
#include "forebay/env/random.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "forebay/env/shared_random.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;

// Always the same number, to reach the ends of the distributions.
class ConstantRandom final : public Random {
 public:
  explicit ConstantRandom(std::uint64_t value) : value_(value) {}
  std::uint64_t next() override { return value_; }

 private:
  std::uint64_t value_;
};

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

// From the reference implementation, https://prng.di.unimi.it/splitmix64.c.
TEST(SharedRandomTest, GivesTheSequenceOfItsSeed) {
  SeededRandom alone(42);
  SharedRandom shared(42);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(shared.next(), alone.next());
}

TEST(SharedRandomTest, EachNumberGoesToOneThread) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 1'000;
  SharedRandom shared(42);
  std::vector<std::uint64_t> taken(kThreads * kEach);

  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t i = 0; i < kEach; ++i) taken[thread * kEach + i] = shared.next();
      });
    }
  }

  SeededRandom alone(42);
  std::vector<std::uint64_t> sequence(taken.size());
  for (std::uint64_t& number : sequence) number = alone.next();
  std::ranges::sort(taken);
  std::ranges::sort(sequence);
  EXPECT_EQ(taken, sequence);
}

TEST(SeededRandomTest, GivesThePublishedSequences) {
  SeededRandom from_zero(0);
  SeededRandom from_other(1234567);

  EXPECT_EQ(from_zero.next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(from_zero.next(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(from_zero.next(), 0x06c45d188009454fu);
  EXPECT_EQ(from_other.next(), 6457827717110365317u);
  EXPECT_EQ(from_other.next(), 3203168211198807973u);
  EXPECT_EQ(from_other.next(), 9817491932198370423u);
}

TEST(RandomTest, DistributionsReachBothEnds) {
  ConstantRandom lowest(0);
  ConstantRandom highest(kLargest);

  EXPECT_EQ(lowest.below(10), 0u);
  EXPECT_EQ(highest.below(10), 9u);
  EXPECT_EQ(lowest.between(-3ns, 8ns), -3ns);
  EXPECT_EQ(highest.between(-3ns, 8ns), 8ns);
}

TEST(RandomTest, ChanceIsNeverAtZeroAndAlwaysAtAMillion) {
  ConstantRandom lowest(0);
  ConstantRandom highest(kLargest);

  EXPECT_FALSE(lowest.chance_per_million(0));
  EXPECT_TRUE(lowest.chance_per_million(1));
  EXPECT_FALSE(highest.chance_per_million(999'999));
  EXPECT_TRUE(highest.chance_per_million(1'000'000));
}

TEST(RandomTest, BelowIsRoughlyUniform) {
  SeededRandom random(1);
  std::array<int, 10> counts{};

  for (int draw = 0; draw < 100'000; ++draw) ++counts[random.below(10)];

  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

RC_GTEST_PROP(RandomProperty, BelowStaysBelow, (std::uint64_t seed)) {
  const auto bound = *rc::gen::inRange<std::uint64_t>(1, kLargest);
  SeededRandom random(seed);

  RC_ASSERT(random.below(bound) < bound);
}

RC_GTEST_PROP(RandomProperty, BetweenStaysBetween, (std::uint64_t seed)) {
  const Duration low(*rc::gen::inRange<std::int64_t>(-1'000'000'000'000, 1'000'000'000'000));
  const Duration width(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000));
  SeededRandom random(seed);

  const Duration drawn = random.between(low, low + width);

  RC_ASSERT(drawn >= low);
  RC_ASSERT(drawn <= low + width);
}

RC_GTEST_PROP(RandomProperty, ASeedRepeats, (std::uint64_t seed)) {
  SeededRandom one(seed);
  SeededRandom same(seed);

  for (int draw = 0; draw < 10; ++draw) RC_ASSERT(one.next() == same.next());
}

}  // namespace
}  // namespace forebay
