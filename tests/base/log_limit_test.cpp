// Floods: few are told, and all are counted, whatever happens when.
#include "forebay/base/log_limit.hpp"

#include <array>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace forebay::log {
namespace {

using namespace std::chrono_literals;

struct Noted {
  std::string_view message = "Refused";
  std::string pool = "orders";
  std::string reason = "broken";
};

LogLimit::Verdict note(LogLimit& limit, LogLimit::Instant now, const Noted& noted = {}) {
  const std::array<Field, 2> fields{field("pool", noted.pool), field("reason", noted.reason)};
  return limit.note(Event{Level::warning, noted.message, fields, Time()}, now);
}

// How many of so many are told.
int told_of(LogLimit& limit, int count, LogLimit::Instant now, const Noted& noted = {}) {
  int told = 0;
  for (int i = 0; i < count; ++i) told += note(limit, now, noted).is_told ? 1 : 0;
  return told;
}

TEST(LogLimitTest, AFewOfAKindAreToldInAWindow) {
  LogLimit limit{{}};

  EXPECT_EQ(told_of(limit, 100, 0s), 5);
  EXPECT_EQ(told_of(limit, 100, 9'999ms), 0);
  const LogLimit::Verdict next = note(limit, 10s);

  EXPECT_TRUE(next.is_told);
  EXPECT_EQ(next.repeated, 195u);
  EXPECT_EQ(note(limit, 11s).repeated, 0u);
}

TEST(LogLimitTest, WhatIsHeldBackIsDueWhenItsWindowEnds) {
  LogLimit limit{{}};
  told_of(limit, 7, 3s);

  EXPECT_EQ(limit.next_due(), 13s);
  EXPECT_TRUE(limit.take_due(12s).empty());
  const std::vector<LogLimit::Repeats> due = limit.take_due(13s);

  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].repeated, 2u);
  EXPECT_EQ(describe(due[0].last.event()), "Refused pool=orders reason=broken");
  EXPECT_EQ(limit.next_due(), LogLimit::kNever);
  EXPECT_EQ(note(limit, 13s).repeated, 0u);
}

TEST(LogLimitTest, MessagePoolAndReasonMakeAKind) {
  LogLimit limit{{}};

  EXPECT_EQ(told_of(limit, 9, 0s), 5);
  EXPECT_EQ(told_of(limit, 9, 0s, {"Refused", "orders", "idle"}), 5);
  EXPECT_EQ(told_of(limit, 9, 0s, {"Refused", "users", "broken"}), 5);
  EXPECT_EQ(told_of(limit, 9, 0s, {"Lost", "orders", "broken"}), 5);
  EXPECT_EQ(limit.take_due(LogLimit::kNever).size(), 4u);
}

TEST(LogLimitTest, WithTooManyKindsTheMessageAloneCounts) {
  LogLimit limit{{5, 10s, 3}};
  int told = 0;
  for (int i = 0; i < 100; ++i)
    told += told_of(limit, 1, 0s, {"Refused", "tenant" + std::to_string(i), ""});

  EXPECT_EQ(told, 3 + 5);
  // Those that are over make room.
  limit.take_due(10s);
  EXPECT_EQ(told_of(limit, 9, 10s, {"Refused", "tenant200", ""}), 5);
}

// Whatever comes when: every event is told or counted once, never more than `most` are told in a
// window, and what is held back is due at the end of its window at the latest.
TEST(LogLimitTest, EveryEventIsToldOrCountedOnce) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& steps) {
    const LogLimit::Rule rule{3, 10s, 4};
    LogLimit limit(rule);
    LogLimit::Instant now = 0s;
    std::map<std::string, std::vector<LogLimit::Instant>> told;
    std::uint64_t noted = 0;
    std::uint64_t seen = 0;
    for (const auto& [what, pause] : steps) {
      now += std::chrono::milliseconds(pause * 20);
      if (what % 8 == 7) {
        for (const LogLimit::Repeats& due : limit.take_due(now)) seen += due.repeated;
        RC_ASSERT(limit.next_due() > now);
        RC_ASSERT(limit.next_due() == LogLimit::kNever || limit.next_due() <= now + rule.window);
        continue;
      }
      const std::string pool = std::to_string(what % 6);
      const LogLimit::Verdict verdict = note(limit, now, {"Refused", pool, ""});
      ++noted;
      seen += verdict.repeated + (verdict.is_told ? 1 : 0);
      if (verdict.is_told) told[pool].push_back(now);
    }
    for (const LogLimit::Repeats& due : limit.take_due(LogLimit::kNever)) seen += due.repeated;
    RC_ASSERT(seen == noted);
    const auto most = static_cast<std::size_t>(rule.most);
    // Two windows may touch, so twice as many may come within the length of one.
    for (const auto& [pool, times] : told) {
      for (std::size_t i = 2 * most; i < times.size(); ++i)
        RC_ASSERT(times[i] - times[i - 2 * most] >= rule.window);
    }
  }));
}

}  // namespace
}  // namespace forebay::log
