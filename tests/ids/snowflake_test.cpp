// Snowflake ids on a clock that is set by hand: what they are made of, and what happens when the
// clock stands, goes back, jumps or ends.
#include "forebay/ids/snowflake.hpp"

#include <limits>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/env/random.hpp"
#include "support/manual_clock.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::int64_t kStartMs = 1'767'225'600'000;  // 2026-01-01
constexpr Duration kSnowflakeStart = std::chrono::milliseconds(kStartMs);

// Numbers and times as a test wants them.
class ChangingNode final : public NodeSource {
 public:
  Result<NodeTerm> term() const override {
    if (!current) return failure(Errc::connect_failed, "no node number: the lease has ended");
    return *current;
  }
  void want_later() override { ++wishes; }

  std::optional<NodeTerm> current{NodeTerm{}};
  int wishes = 0;
};

class SnowflakeTest : public testing::Test {
 protected:
  SnowflakeParts next() { return ids_.decode(ids_.next().value()); }
  Error refusal() {
    const Result<std::int64_t> id = ids_.next();
    return id ? Error(Errc::closed, "there was an id") : id.error();
  }
  void use_up(int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(ids_.try_next());
  }
  Duration time_of_next() { return next().time.time_since_epoch(); }

  ManualClock clock_{kSnowflakeStart};
  ChangingNode node_;
  SnowflakeGenerator ids_{clock_, node_};
};

TEST_F(SnowflakeTest, AnIdIsTimeNodeAndSequence) {
  node_.current->node = 1023;
  const std::int64_t first = ids_.next().value();
  EXPECT_EQ(first, ((kStartMs - 1'704'067'200'000) << 22) + (1023 << 12));

  const SnowflakeParts second = next();
  EXPECT_EQ(second.time.time_since_epoch(), kSnowflakeStart);
  EXPECT_EQ(second.node, 1023);
  EXPECT_EQ(second.sequence, 1);
  clock_.advance(1ms);
  EXPECT_EQ(next().sequence, 0);
}

TEST_F(SnowflakeTest, TheEpochCanBeChosenAndTheBitsEnd) {
  SnowflakeOptions options;
  options.epoch = WallTime(kSnowflakeStart);
  SnowflakeGenerator ids(clock_, node_, options);
  EXPECT_EQ(ids.next().value(), 0);

  const Duration rest = std::chrono::milliseconds((std::int64_t{1} << 41) - 1);
  clock_.advance(rest);
  const std::int64_t last = ids.next().value();
  EXPECT_EQ(ids.decode(last).time.time_since_epoch(), kSnowflakeStart + rest);
  EXPECT_GT(last, std::numeric_limits<std::int64_t>::max() >> 1);
  clock_.advance(1ms);
  const Result<std::int64_t> after = ids.next();
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code(), Errc::invalid);
  EXPECT_THAT(after.error().text(), HasSubstr("from 2026-01-01 00:00:00+00 to 2095-09-07"));
}

TEST_F(SnowflakeTest, AClockBeforeTheEpochIsRefused) {
  clock_.advance(-kSnowflakeStart);
  EXPECT_THAT(refusal().text(), HasSubstr("no id can be made at 1970-01-01 00:00:00+00"));
}

TEST_F(SnowflakeTest, AMillisecondHas4096AndThenTheNextIsWaitedFor) {
  use_up(4096);
  const Result<std::int64_t> more = ids_.try_next();
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code(), Errc::limit_reached);

  const int before = clock_.reads();
  Result<std::int64_t> id = failure(Errc::closed, "nothing was asked");
  std::jthread waiter([&] { id = ids_.next(); });
  // A thread that reads the clock for the second time has found the millisecond used up, and waits.
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (clock_.reads() < before + 2 && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_GE(clock_.reads(), before + 2);
  clock_.advance(1ms);
  waiter.join();
  ASSERT_TRUE(id) << id.error().text();
  EXPECT_EQ(ids_.decode(*id).time.time_since_epoch(), kSnowflakeStart + 1ms);
  EXPECT_EQ(ids_.decode(*id).sequence, 0);
}

TEST_F(SnowflakeTest, WhenTheClockGoesBackIdsGoOnFromTheLast) {
  use_up(4095);
  clock_.advance(-3s);

  const SnowflakeParts last_place = next();
  EXPECT_EQ(last_place.time.time_since_epoch(), kSnowflakeStart);
  EXPECT_EQ(last_place.sequence, 4095);
  EXPECT_EQ(time_of_next(), kSnowflakeStart + 1ms);
  clock_.advance(3s + 5ms);
  EXPECT_EQ(time_of_next(), kSnowflakeStart + 5ms);
}

TEST_F(SnowflakeTest, TooFarBackIsRefusedWithTheNumbersUntilTheClockHasCaughtUp) {
  EXPECT_EQ(time_of_next(), kSnowflakeStart);
  clock_.advance(-12'345ms);
  const Error error = refusal();
  EXPECT_EQ(error.code(), Errc::invalid);
  EXPECT_THAT(error.text(), HasSubstr("it is 12345ms behind"));
  EXPECT_THAT(error.text(), HasSubstr("10s ahead of it at most; they go on in 2345ms"));

  clock_.advance(2'345ms);
  EXPECT_EQ(time_of_next(), kSnowflakeStart);
}

TEST_F(SnowflakeTest, WhatIsBorrowedFromTheFutureIsBounded) {
  EXPECT_EQ(time_of_next(), kSnowflakeStart);
  clock_.advance(-9'990ms);
  int made = 0;
  while (ids_.try_next()) ++made;
  EXPECT_EQ(made, 11 * 4096 - 1);
  EXPECT_THAT(refusal().text(), HasSubstr("it is 10001ms behind"));
}

TEST_F(SnowflakeTest, ATermBeginsAfterThatOfTheHolderBefore) {
  node_.current = NodeTerm{5, kStartMs + 2'000, kStartMs + 3'000};
  EXPECT_EQ(time_of_next(), kSnowflakeStart + 2s);
  node_.current->first = kStartMs + 12'001;
  const Error error = refusal();
  EXPECT_EQ(error.code(), Errc::connect_failed);
  EXPECT_THAT(error.text(), HasSubstr("node 5 was another process's before, and ids up to "
                                      "2026-01-01 00:00:12+00 are reserved for that one"));
  EXPECT_THAT(error.text(), HasSubstr("they begin in 2001ms"));
  node_.current->last = kStartMs + 20'000;
  clock_.advance(2'001ms);
  EXPECT_EQ(time_of_next(), kSnowflakeStart + 12'001ms);
}

TEST_F(SnowflakeTest, NoIdBearsATimeAfterTheTermAndMoreIsAskedFor) {
  node_.current = NodeTerm{5, kStartMs, kStartMs + 1'000};
  clock_.advance(1s);
  EXPECT_EQ(time_of_next(), kSnowflakeStart + 1s);
  EXPECT_EQ(node_.wishes, 0);
  clock_.advance(1ms);
  const Error error = refusal();
  EXPECT_EQ(error.code(), Errc::connect_failed);
  EXPECT_THAT(error.text(), HasSubstr("node 5 is reserved for ids until 2026-01-01 00:00:01+00"));
  EXPECT_EQ(node_.wishes, 1);

  node_.current->last = kStartMs + 2'000;
  EXPECT_EQ(time_of_next(), kSnowflakeStart + 1'001ms);
}

TEST_F(SnowflakeTest, WithoutANodeItSaysWhyAndGoesOnWithAnother) {
  const std::int64_t before = ids_.next().value();
  node_.current.reset();
  EXPECT_EQ(refusal().text(), "no node number: the lease has ended");
  node_.current = NodeTerm{77};
  const std::int64_t after = ids_.next().value();
  EXPECT_EQ(ids_.decode(after).node, 77);
  EXPECT_GT(after, before);
}

TEST(SnowflakeProperty, IdsGrowWhateverTheClockDoes) {
  EXPECT_TRUE(rc::check("each id is greater than the last", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    SeededRandom random(seed);
    ManualClock clock(kSnowflakeStart);
    FixedNode node(3);
    SnowflakeGenerator ids(clock, node);
    std::int64_t last = -1;
    for (int step = 0; step < 30; ++step) {
      if (random.below(4) == 0) clock.advance(random.between(-1s, 1s));
      const std::uint64_t few = random.below(20);
      const std::uint64_t burst = random.below(6) == 0 ? 5'000 : few;
      for (std::uint64_t i = 0; i < burst; ++i) {
        const Result<std::int64_t> id = ids.try_next();
        if (!id) break;
        RC_ASSERT(*id > last);
        last = *id;
      }
    }
  }));
}

}  // namespace
}  // namespace forebay
