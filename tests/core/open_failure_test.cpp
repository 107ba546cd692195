// The names of failure reasons are labels and log fields, so changing one breaks somebody's graph.
#include "forebay/core/open_failure.hpp"

#include <gtest/gtest.h>

#include "forebay/core/pool_counters.hpp"

namespace forebay {
namespace {

TEST(OpenFailureTest, ReasonsKeepTheirNames) {
  EXPECT_EQ(name(OpenFailure::lease_acquire), "lease_acquire");
  EXPECT_EQ(name(OpenFailure::rate_limit), "rate_limit");
  EXPECT_EQ(name(OpenFailure::token_provider), "token_provider");
  EXPECT_EQ(name(OpenFailure::connection_open), "connection_open");
  EXPECT_EQ(name(OpenFailure::after_connect), "after_connect");
  EXPECT_EQ(static_cast<std::size_t>(OpenFailure::after_connect) + 1, kOpenFailures);
}

TEST(OpenFailureTest, TheTextTellsTheStepWhereTheErrorDoesNot) {
  const Error error(Errc::timed_out, "no answer");

  EXPECT_EQ(FailedOpen(OpenFailure::lease_acquire, error).text(), "no lease: no answer");
  EXPECT_EQ(FailedOpen(OpenFailure::rate_limit, error).text(), "no permit: no answer");
  EXPECT_EQ(FailedOpen(OpenFailure::token_provider, error).text(), "no token: no answer");
  EXPECT_EQ(FailedOpen(OpenFailure::connection_open, error).text(), "no answer");
}

TEST(OpenFailureTest, WhatWaitingDoesNotMendIsForGood) {
  const auto is_final = [](OpenFailure step, Errc code) {
    return is_for_good(FailedOpen(step, Error(code, "no")));
  };
  EXPECT_TRUE(is_final(OpenFailure::connection_open, Errc::refused));
  EXPECT_TRUE(is_final(OpenFailure::connection_open, Errc::token_expired)) << "a fresh one, too";
  EXPECT_TRUE(is_final(OpenFailure::connection_open, Errc::invalid));
  EXPECT_TRUE(is_final(OpenFailure::token_provider, Errc::refused));
  for (const Errc code :
       {Errc::timed_out, Errc::connect_failed, Errc::limit_reached, Errc::rate_reached})
    EXPECT_FALSE(is_final(OpenFailure::connection_open, code)) << name(code);
  EXPECT_FALSE(is_final(OpenFailure::token_provider, Errc::connect_failed));
  EXPECT_FALSE(is_final(OpenFailure::after_connect, Errc::refused)) << "the application's word";
  EXPECT_FALSE(is_final(OpenFailure::lease_acquire, Errc::refused)) << "its agent goes on";
  EXPECT_FALSE(is_final(OpenFailure::rate_limit, Errc::refused));
}

TEST(OpenFailureTest, FullIsTheServerAndNotItsRate) {
  const auto says = [](OpenFailure step, Errc code) {
    return is_full(FailedOpen(step, Error(code, "no")));
  };
  EXPECT_TRUE(says(OpenFailure::connection_open, Errc::limit_reached));
  EXPECT_FALSE(says(OpenFailure::connection_open, Errc::rate_reached));
  EXPECT_FALSE(says(OpenFailure::rate_limit, Errc::limit_reached));
  EXPECT_FALSE(says(OpenFailure::lease_acquire, Errc::limit_reached));
}

TEST(OpenFailureTest, CountersAddUp) {
  PoolCounters sum;
  PoolCounters more;
  more.failures = {1, 2, 3, 4, 5};

  add(sum, more);
  add(sum, more);

  EXPECT_EQ(sum.failed(OpenFailure::token_provider), 6u);
  EXPECT_EQ(sum.open_failures(), 30u);
}

}  // namespace
}  // namespace forebay
