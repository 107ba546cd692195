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
