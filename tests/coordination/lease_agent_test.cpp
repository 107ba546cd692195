#include "forebay/coordination/leases/lease_agent.hpp"

#include <gtest/gtest.h>

#include "support/lease_world.hpp"

namespace forebay::test {
namespace {

class LeaseAgentTest : public testing::Test {
 protected:
  static LeaseOptions options(int limit = 100) {
    LeaseOptions options;
    options.limit = limit;
    return options;
  }
  void run_for(Duration time) { world_.scheduler.run_for(time); }

  LeaseWorld world_;
};

TEST_F(LeaseAgentTest, WhoComesTogetherIsServedByOneRequest) {
  LeaseProcess& process = world_.add(options());
  process.store.shortest = process.store.longest = 10ms;
  for (int i = 0; i < 32; ++i) process.acquire();
  run_for(10ms);

  EXPECT_EQ(process.leases.size(), 32u);
  EXPECT_EQ(process.agent->requests(), 1u);
  EXPECT_EQ(process.agent->held(), 32);
  EXPECT_EQ(world_.model.active(), 32);
}

TEST_F(LeaseAgentTest, WhatIsGivenBackIsReusedAtOnceWithoutARequest) {
  LeaseProcess& process = world_.add(options());
  process.acquire();
  run_for(10ms);
  process.give_back(1);
  run_for(900ms);
  const std::uint64_t requests = process.agent->requests();
  process.acquire();
  run_for(1ms);

  EXPECT_EQ(process.leases.size(), 1u);
  EXPECT_EQ(process.agent->requests(), requests);
}

TEST_F(LeaseAgentTest, WhatNobodyUsesIsReleasedInOneRequestAfterAMoment) {
  LeaseProcess& process = world_.add(options());
  for (int i = 0; i < 10; ++i) process.acquire();
  run_for(10ms);
  const std::uint64_t requests = process.agent->requests();
  process.give_back(4);
  run_for(990ms);
  EXPECT_EQ(world_.model.active(), 10);

  run_for(20ms);
  EXPECT_EQ(world_.model.active(), 6);
  EXPECT_EQ(process.agent->held(), 6);
  EXPECT_EQ(process.agent->requests(), requests + 1);
}

TEST_F(LeaseAgentTest, AWaiterIsServedFromWhatComesBack) {
  LeaseProcess& process = world_.add(options(1));
  process.acquire();
  run_for(1ms);
  process.store.shortest = process.store.longest = 1s;
  process.acquire();
  run_for(100ms);
  process.give_back(1);
  run_for(1ms);

  EXPECT_EQ(process.leases.size(), 1u);
  EXPECT_TRUE(process.errors.empty());
}

TEST_F(LeaseAgentTest, AFullClusterIsSaidInNumbers) {
  LeaseProcess& first = world_.add(options(5));
  LeaseProcess& second = world_.add(options(5));
  for (int i = 0; i < 5; ++i) first.acquire();
  run_for(1ms);
  second.acquire();
  second.acquire();
  run_for(1ms);

  ASSERT_EQ(second.errors.size(), 2u);
  EXPECT_EQ(second.errors[0].code(), Errc::limit_reached);
  EXPECT_NE(second.errors[0].text().find("5 of 5 connections leased"), std::string::npos)
      << second.errors[0].text();
}

TEST_F(LeaseAgentTest, WhatTheLimitLeavesIsTakenAndTheRestRefused) {
  LeaseProcess& first = world_.add(options(10));
  LeaseProcess& second = world_.add(options(10));
  for (int i = 0; i < 7; ++i) first.acquire();
  run_for(1ms);
  for (int i = 0; i < 5; ++i) second.acquire();
  run_for(1ms);

  EXPECT_EQ(second.leases.size(), 3u);
  EXPECT_EQ(second.errors.size(), 2u);
  EXPECT_EQ(world_.model.active(), 10);
}

TEST_F(LeaseAgentTest, AWaiterGivesUpAtItsDeadline) {
  LeaseProcess& process = world_.add(options());
  process.store.fate = [](const std::string&, int) { return Fate::lost_request; };
  process.acquire(2s);
  run_for(2s);

  ASSERT_EQ(process.errors.size(), 1u);
  EXPECT_EQ(process.errors[0].code(), Errc::timed_out);
}

TEST_F(LeaseAgentTest, AnAgentThatClosesLeavesNothingInTheStore) {
  LeaseProcess& process = world_.add(options());
  for (int i = 0; i < 5; ++i) process.acquire();
  run_for(1s);
  process.give_back(5);

  EXPECT_EQ(process.close(), std::optional(true));
  EXPECT_EQ(world_.model.active(), 0);
  EXPECT_EQ(world_.model.leases(), 0u);
  process.agent.reset();
}

TEST_F(LeaseAgentTest, CloseWithoutAStoreEndsAtItsDeadline) {
  LeaseProcess& process = world_.add(options());
  process.acquire();
  run_for(1s);
  process.give_back(1);
  process.store.fate = [](const std::string&, int) { return Fate::lost_request; };
  const Instant start = world_.scheduler.now();

  EXPECT_EQ(process.close(10s), std::optional(false));
  EXPECT_LE(world_.scheduler.now() - start, 15s);
  process.agent.reset();
}

TEST_F(LeaseAgentTest, AHolderIsRenewedForAsLongAsItLives) {
  LeaseProcess& first = world_.add(options());
  LeaseProcess& second = world_.add(options());
  first.acquire();
  second.acquire();
  run_for(1h);

  EXPECT_EQ(first.agent->losses() + second.agent->losses(), 0u);
  EXPECT_EQ(world_.model.active(), 2);
  // Renewals and looks of two processes, not a flood.
  EXPECT_LT(first.agent->requests(), 200u);
}

TEST_F(LeaseAgentTest, HoldOpensNothingWhileTheStoreIsAway) {
  LeaseProcess& process = world_.add(options());
  process.acquire();
  run_for(1s);
  process.store.fate = [](const std::string&, int) { return Fate::away; };
  process.acquire();
  run_for(5s);

  EXPECT_EQ(process.leases.size(), 1u);
  ASSERT_EQ(process.errors.size(), 1u);
  EXPECT_EQ(process.errors[0].code(), Errc::connect_failed);
  // What it holds goes on, and is reused.
  process.give_back(1);
  process.acquire();
  run_for(1ms);
  EXPECT_EQ(process.leases.size(), 1u);
}

TEST_F(LeaseAgentTest, NothingIsHandedOutOnALeaseThatMayHaveEnded) {
  LeaseProcess& process = world_.add(options());
  process.acquire();
  run_for(1s);
  process.store.fate = [](const std::string&, int) { return Fate::away; };
  run_for(3min);
  process.give_back(1);
  process.acquire();
  run_for(10s);

  EXPECT_TRUE(process.leases.empty());
  EXPECT_EQ(process.errors.size(), 1u);
}

TEST_F(LeaseAgentTest, LocalGrantsThisProcesssShareAndCountsItAfterwards) {
  world_.is_strict = false;
  LeaseOptions local = options(20);
  local.on_absence = StoreAbsence::local;
  LeaseProcess& first = world_.add(local);
  LeaseProcess& second = world_.add(local);
  first.acquire();
  second.acquire();
  run_for(2min);
  ASSERT_EQ(first.agent->known_processes(), 2);

  first.store.fate = [](const std::string&, int) { return Fate::away; };
  for (int i = 0; i < 30; ++i) first.acquire(20s);
  run_for(20s);
  EXPECT_EQ(first.leases.size(), 10u);
  EXPECT_EQ(first.agent->overhang(), 9);

  first.store.fate = nullptr;
  run_for(20s);
  EXPECT_EQ(first.agent->overhang(), 0);
  EXPECT_EQ(world_.model.active(), 11);
}

}  // namespace
}  // namespace forebay::test
