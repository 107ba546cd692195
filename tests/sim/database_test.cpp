// Sessions that outlive their clients, as the simulated server sees them.
#include "forebay/sim/database.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;

class SimDatabaseTest : public testing::Test {
 protected:
  Session* open() {
    clients_.push_back(std::make_unique<Session>());
    Session& session = *clients_.back();
    EXPECT_EQ(database_.admit(session, 0, now_), Admission::accepted);
    database_.finish_handshake(session, now_);
    return &session;
  }
  void pass(Duration time) {
    now_ += time;
    database_.advance(now_);
  }

  DatabaseSpec spec_ = [] {
    DatabaseSpec spec;
    spec.connect_burst = 100;
    return spec;
  }();
  Trace trace_;
  std::vector<std::unique_ptr<Session>> clients_;
  SimDatabase database_{spec_, 2, 1, trace_};
  Instant now_{1h};
};

TEST_F(SimDatabaseTest, AnIdleSessionEndsWithItsClient) {
  open();
  database_.keep(std::move(clients_[0]), now_);
  pass(0s);

  EXPECT_EQ(database_.sessions(), 0);
}

TEST_F(SimDatabaseTest, ABusyOneEndsWhenTheServerLooksForItsClient) {
  open()->busy_until = now_ + 60s;
  EXPECT_EQ(database_.leave(*clients_[0], now_), now_ + 2s);
  EXPECT_EQ(database_.open_of(0), 0);
  database_.keep(std::move(clients_[0]), now_);
  pass(1999ms);
  EXPECT_EQ(database_.sessions_of(0), 1);
  pass(1ms);

  EXPECT_EQ(database_.sessions_of(0), 0);
}

TEST_F(SimDatabaseTest, ACancelIsAConnectOfTheRateAndNoSession) {
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(database_.admit_cancel(0, now_));
  for (int i = 0; i < 40; ++i) open();

  EXPECT_FALSE(database_.admit_cancel(0, now_));
  EXPECT_EQ(database_.sessions(), 40);
  EXPECT_EQ(database_.connects(), 101u);
  EXPECT_EQ(database_.refused(), 1u);
  EXPECT_EQ(database_.most_too_early(), 10ms);
}

TEST_F(SimDatabaseTest, OrWhenItsStatementDoes) {
  open()->busy_until = now_ + 1s;

  EXPECT_EQ(database_.leave(*clients_[0], now_), now_ + 1s);
  database_.end(*clients_[0], now_);
}

TEST_F(SimDatabaseTest, WhatTheDeadLeaveCountsButNotAsTheirs) {
  open();
  open()->busy_until = now_ + 60s;

  EXPECT_EQ(database_.lose_process(0, now_), now_ + 2s);
  EXPECT_EQ(database_.sessions(), 1);
  EXPECT_EQ(database_.sessions_of(0), 0);
  for (auto& client : clients_) database_.keep(std::move(client), now_ + 1h);
  EXPECT_EQ(database_.sessions(), 1) << "a dead process has a clock of its own";
  pass(2s);

  EXPECT_EQ(database_.sessions(), 0);
}

TEST_F(SimDatabaseTest, AClientThatCannotBeReachedIsMissed) {
  open();
  database_.set_cut(0, true, now_);
  pass(1s);
  EXPECT_EQ(database_.sessions(), 1);
  database_.set_cut(0, false, now_);
  pass(1h - 2s);
  EXPECT_EQ(database_.sessions(), 1) << "it was heard of in time";

  database_.set_cut(0, true, now_);
  pass(2s);
  EXPECT_EQ(database_.sessions(), 0);
}

TEST_F(SimDatabaseTest, AGoodbyeThatWasLostArrivesWhenTheNetworkIsBack) {
  database_.set_cut(0, false, now_);
  open();
  database_.set_cut(0, true, now_);
  database_.keep(std::move(clients_[0]), now_);
  pass(1s);
  EXPECT_EQ(database_.sessions(), 1);
  database_.set_cut(0, false, now_);
  pass(0s);

  EXPECT_EQ(database_.sessions(), 0);
}

TEST_F(SimDatabaseTest, WhoDoesNotPromiseTheRateIsNotMeasured) {
  database_.set_rate_promised(false);
  for (int i = 0; i < 300; ++i) {
    Session session;
    if (database_.admit(session, 0, now_) == Admission::accepted) database_.end(session, now_);
  }
  EXPECT_LE(database_.most_too_early(), 0s);

  database_.set_rate_promised(true);
  for (int i = 0; i < 101; ++i) {
    Session session;
    if (database_.admit(session, 0, now_) == Admission::accepted) database_.end(session, now_);
  }
  EXPECT_EQ(database_.most_too_early(), 10ms);
}

// When the next one ends is kept up to date, never looked for; here it is looked for.
TEST_F(SimDatabaseTest, SessionsEndWhenTheyShouldWhateverHappensToOthers) {
  SeededRandom random(7);
  std::vector<Instant> ends;
  const auto alive = [&] {
    return std::ranges::count_if(ends, [&](Instant end) { return end > now_; });
  };
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t what = random.below(3);
    if (what == 0 && database_.allowed_now(now_) > 0) {
      open();
      ends.push_back(now_ + spec_.cut_after);
    } else if (what == 1 && !ends.empty()) {
      const std::size_t place = random.below(ends.size());
      Session& session = *clients_[place];
      if (session.is_counted && !session.is_left) {
        session.busy_until = now_ + random.between(0s, 4s);
        ends[place] = std::min(ends[place], database_.leave(session, now_));
      }
    }
    pass(random.between(0s, 4s));

    ASSERT_EQ(database_.sessions(), alive()) << "after step " << i;
  }
  EXPECT_GT(ends.size(), 500u);
  EXPECT_GT(database_.ended(), 300u);
}

}  // namespace
}  // namespace forebay::sim
