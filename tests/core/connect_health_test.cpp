// ConnectHealth: failures in a row, the pause after them, and what ends it.
#include "forebay/core/connect_health.hpp"

#include <gtest/gtest.h>

namespace forebay {
namespace {

using namespace std::chrono_literals;

constexpr Instant kBegun(1h);

BackoffRule plain_rule() {
  BackoffRule rule;
  rule.first = 100ms;
  rule.longest = 10s;
  rule.jitter_percent = 0;
  return rule;
}

FailedOpen failed_at(OpenFailure step, Errc code = Errc::connect_failed) {
  return FailedOpen(step, Error(code, "no"));
}

class ConnectHealthTest : public ::testing::Test {
 protected:
  void fail(Instant now, const FailedOpen& failed, bool has_open = true) {
    const int open = has_open ? 7 : 0;
    health_.note_failed(now, failed, {plain_rule(), open, open + 1}, random_);
  }
  ConnectHealth health_;
  SeededRandom random_{1};
};

TEST_F(ConnectHealthTest, NothingIsKnownAtFirst) {
  EXPECT_EQ(health_.failures(), 0);
  EXPECT_EQ(health_.connect_time(), ConnectHealth::kAssumedConnectTime);
  EXPECT_LT(health_.backoff_until(), Instant{});
  EXPECT_FALSE(health_.last_failure().has_value());
}

TEST_F(ConnectHealthTest, FailuresWithinOnePauseCountAsOne) {
  fail(kBegun, failed_at(OpenFailure::connection_open));
  fail(kBegun + 99ms, failed_at(OpenFailure::token_provider));

  EXPECT_EQ(health_.failures(), 1);
  EXPECT_EQ(health_.backoff_until(), kBegun + 100ms);
  EXPECT_EQ(health_.last_failure(), OpenFailure::token_provider) << "the last one all the same";
}

TEST_F(ConnectHealthTest, WhatAFullClusterHasLeasedToUsIsReplacedInThePause) {
  const FailedOpen full = failed_at(OpenFailure::lease_acquire, Errc::limit_reached);
  fail(kBegun, full);  // with eight sessions
  EXPECT_EQ(health_.replaceable(8, 0), 0);
  EXPECT_EQ(health_.replaceable(6, 1), 1);
  health_.note_opened(20ms, 9);
  EXPECT_EQ(health_.replaceable(8, 0), 1);

  fail(kBegun + 1s, full);  // with eight of nine: somebody else has its place
  EXPECT_EQ(health_.replaceable(7, 0), 1);
  fail(kBegun + 2s, failed_at(OpenFailure::connection_open));
  EXPECT_EQ(health_.replaceable(7, 0), 0) << "the server does not answer: that is another pause";
}

TEST_F(ConnectHealthTest, ThePauseGrowsAndASuccessEndsIt) {
  fail(kBegun, failed_at(OpenFailure::connection_open));
  fail(kBegun + 100ms, failed_at(OpenFailure::connection_open));
  EXPECT_EQ(health_.failures(), 2);
  EXPECT_EQ(health_.backoff_until(), kBegun + 300ms);

  health_.note_opened(20ms, 1);

  EXPECT_EQ(health_.failures(), 0);
  EXPECT_LT(health_.backoff_until(), kBegun);
  EXPECT_EQ(health_.connect_time(), 20ms);
  EXPECT_TRUE(health_.last_failure().has_value()) << "a full server lets one in now and then";
  health_.forget_failure();
  EXPECT_FALSE(health_.last_failure().has_value());
}

// A place on a full server is free as soon as one of ours ends; with none of ours open nobody
// knows.
TEST_F(ConnectHealthTest, AFullServerIsNoReasonForABackoffWhileSomeOfOursAreOpen) {
  const FailedOpen full = failed_at(OpenFailure::connection_open, Errc::limit_reached);
  Instant now = kBegun;
  for (int i = 0; i < 8; ++i) {
    fail(now, full);
    EXPECT_EQ(health_.failures(), 0);
    EXPECT_LT(health_.backoff_until(), now);
    EXPECT_EQ(health_.server_room().left(8, 0), 0) << "as many as there were";
    EXPECT_EQ(health_.server_room().left(6, 1), 1) << "what ends is replaced";
    EXPECT_EQ(health_.retry_at(), now + 1s) << "one more is tried every second";
    now = health_.retry_at();
  }
  EXPECT_EQ(health_.attempts(), 8);

  fail(now, full, false);
  EXPECT_EQ(health_.backoff_until(), now + 100ms) << "it grows from here";
}

// Asking for a lease costs everybody, and who has less than its share waits for it there.
TEST_F(ConnectHealthTest, AFullClusterIsAskedMoreAndMoreRarely) {
  const FailedOpen full = failed_at(OpenFailure::lease_acquire, Errc::limit_reached);
  fail(kBegun, full);
  fail(kBegun + 100ms, full);

  EXPECT_EQ(health_.failures(), 2);
  EXPECT_EQ(health_.backoff_until(), kBegun + 300ms);
}

TEST_F(ConnectHealthTest, TooFastIsNotFull) {
  const Error error(Errc::rate_reached, "rate exceeded");
  Instant now = kBegun;
  for (int i = 0; i < 8; ++i) {
    fail(now, FailedOpen(OpenFailure::connection_open, error));
    now = health_.backoff_until();
  }

  EXPECT_EQ(health_.server_room().left(8, 0), ServerRoom::kUnlimited);
  EXPECT_EQ(health_.failures(), 8);
}

FailedOpen wrong_password() {
  return FailedOpen(OpenFailure::connection_open,
                    Error(Errc::refused, ErrorClass::permanent, "no", "28P01"));
}

TEST_F(ConnectHealthTest, WhoIsRefusedForGoodIsTriedRarely) {
  Instant now = kBegun;
  int attempts = 0;
  for (; now < kBegun + 10min; ++attempts) {
    fail(now, wrong_password());
    EXPECT_TRUE(health_.is_refused());
    now = health_.backoff_until();
  }
  EXPECT_EQ(attempts, 8) << "at 0, 15, 45, 105, 225, 345, 465 and 585 s";

  health_.note_opened(20ms, 1);

  EXPECT_FALSE(health_.is_refused());
  EXPECT_LT(health_.backoff_until(), kBegun);
}

TEST_F(ConnectHealthTest, ARefusalLengthensThePauseThatAnotherFailureBegan) {
  fail(kBegun, failed_at(OpenFailure::connection_open));
  fail(kBegun + 1ms, wrong_password());
  fail(kBegun + 2ms, failed_at(OpenFailure::connection_open));

  EXPECT_TRUE(health_.is_refused());
  EXPECT_EQ(health_.failures(), 1);
  EXPECT_EQ(health_.backoff_until(), kBegun + 1ms + 15s);
}

// A name that is not found locks nobody out, and may be found again in a moment.
TEST_F(ConnectHealthTest, WhereNoServerSpokeThePauseIsTheUsual) {
  fail(kBegun, failed_at(OpenFailure::connection_open, Errc::refused));

  EXPECT_TRUE(health_.is_refused());
  EXPECT_EQ(health_.backoff_until(), kBegun + 100ms);
}

}  // namespace
}  // namespace forebay
