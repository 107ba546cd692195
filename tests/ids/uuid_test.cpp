// UUIDs: the examples of RFC 9562, the ways of writing that PostgreSQL takes, and the order of
// version 7.
#include "forebay/ids/uuid.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support/known_texts.hpp"
#include "support/manual_clock.hpp"

namespace forebay {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class ScriptedRandom final : public Random {
 public:
  explicit ScriptedRandom(std::vector<std::uint64_t> numbers) : numbers_(std::move(numbers)) {}
  std::uint64_t next() override { return numbers_.at(next_++); }

 private:
  std::vector<std::uint64_t> numbers_;
  std::size_t next_ = 0;
};

constexpr Duration kRfcTime = 1'645'557'742'000ms;  // 2022-02-22 14:22:22-05:00

TEST(UuidTest, TheExamplesOfRfc9562) {
  ScriptedRandom for_v4({0x9191'08f7'52d1'0320, 0x1bac'f847'db41'48a8});
  const Uuid v4 = make_uuid_v4(for_v4);
  EXPECT_EQ(v4.text(), "919108f7-52d1-4320-9bac-f847db4148a8");
  EXPECT_EQ(v4.version(), 4);
  EXPECT_EQ(v4.time(), std::nullopt);

  ScriptedRandom for_v7({0x0cc3, 0x18c4'dc0c'0c07'398f});
  const Uuid v7 = make_uuid_v7(WallTime(kRfcTime), for_v7);
  EXPECT_EQ(v7.text(), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
  EXPECT_EQ(v7.version(), 7);
  ASSERT_TRUE(v7.time());
  EXPECT_EQ(v7.time()->time_since_epoch(), kRfcTime);
}

TEST(UuidTest, TakesAndRefusesWhatPostgresDoes) {
  for (const char* text : test::kUuidTexts) {
    const Result<Uuid> id = Uuid::parse(text);
    ASSERT_TRUE(id) << id.error().text();
    EXPECT_EQ(id->text(), test::kUuidTexts[0]);
  }
  for (const char* text : test::kNoUuids) {
    const Result<Uuid> id = Uuid::parse(text);
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().code(), Errc::invalid);
    EXPECT_THAT(id.error().text(), HasSubstr("is not a UUID: expected 32 hexadecimal digits"));
  }
}

TEST(UuidTest, TextAndBytesComeBackAndKeepTheOrder) {
  EXPECT_TRUE(rc::check("both ways, for any 16 bytes", [](const Uuid::Bytes& a, Uuid::Bytes b) {
    if (*rc::gen::arbitrary<bool>()) std::copy_n(a.begin(), 9, b.begin());
    const Uuid id(a);
    const Uuid other(b);
    const Result<Uuid> from_text = Uuid::parse(id.text());
    RC_ASSERT(from_text.has_value());
    RC_ASSERT(*from_text == id);
    const Result<Uuid> from_bytes = Uuid::from_bytes(std::as_bytes(std::span(id.bytes())));
    RC_ASSERT(from_bytes.has_value());
    RC_ASSERT(*from_bytes == id);
    RC_ASSERT((id <=> other) == (id.text() <=> other.text()));
  }));
  const std::vector<std::byte> few(15);
  EXPECT_EQ(Uuid::from_bytes(few).error().text(), "a UUID has 16 bytes, not 15");
}

TEST(UuidTest, AreKeysOfSets) {
  SeededRandom random(7);
  std::unordered_set<Uuid> ids;
  std::set<std::size_t> hashes;
  for (int i = 0; i < 10'000; ++i) ids.insert(make_uuid_v4(random));
  for (const Uuid& id : ids) hashes.insert(std::hash<Uuid>()(id));

  EXPECT_EQ(ids.size(), 10'000u);
  EXPECT_EQ(hashes.size(), 10'000u);
  EXPECT_TRUE(Uuid().is_nil());
  EXPECT_FALSE(ids.begin()->is_nil());
}

TEST(UuidTest, AClockBefore1970IsTakenFor1970) {
  SeededRandom random(1);
  const Uuid id = make_uuid_v7(WallTime(-5s), random);
  ASSERT_TRUE(id.time());
  EXPECT_EQ(id.time()->time_since_epoch(), 0ms);
}

TEST(UuidV7GeneratorTest, EachSortsAfterTheLastWhateverTheClockDoes) {
  ManualClock clock(kRfcTime);
  SeededRandom random(3);
  SeededRandom steps(4);
  UuidV7Generator generator(clock, random);
  Uuid last;
  for (int i = 0; i < 100'000; ++i) {
    if (steps.below(100) == 0) clock.advance(Duration(steps.between(-2s, 2s)));
    const Uuid id = generator.next();
    ASSERT_LT(last, id);
    ASSERT_EQ(id.version(), 7);
    ASSERT_EQ(id.bytes()[8] >> 6, 2);
    last = id;
  }
}

TEST(UuidV7GeneratorTest, BorrowsTheNextMillisecondWhenTheCounterIsFull) {
  ManualClock clock(kRfcTime);
  // Tail, start of the counter (all but its first bit), and tails: 2^17 counts are left.
  class Ones final : public Random {
   public:
    std::uint64_t next() override { return std::numeric_limits<std::uint64_t>::max(); }
  };
  Ones random;
  UuidV7Generator generator(clock, random);
  Uuid last = generator.next();
  for (int i = 0; i < 1 << 17; ++i) last = generator.next();
  EXPECT_EQ(last.time()->time_since_epoch(), kRfcTime);

  const Uuid next = generator.next();

  EXPECT_LT(last, next);
  EXPECT_EQ(next.time()->time_since_epoch(), kRfcTime + 1ms);
}

TEST(UuidV7GeneratorTest, ThreadsGetDifferentIdsAndEachSeesThemGrow) {
  ManualClock clock(kRfcTime);
  SeededRandom random(5);
  UuidV7Generator generator(clock, random);
  std::vector<std::vector<Uuid>> made(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<Uuid>& ids : made) {
      threads.emplace_back([&] {
        for (int i = 0; i < 5'000; ++i) ids.push_back(generator.next());
      });
    }
  }
  std::set<Uuid> all;
  for (const std::vector<Uuid>& ids : made) {
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(all.size(), 20'000u);
}

}  // namespace
}  // namespace forebay
