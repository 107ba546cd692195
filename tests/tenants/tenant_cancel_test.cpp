// Callers of tenants who are cancelled: they leave the line of their pool, and their pool that of
// the budget.
#include <gtest/gtest.h>

#include "support/sim_tenants.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

Task<void> acquire(TenantPools& tenants, std::string id, Until until, std::optional<Error>& error) {
  Result<PooledConnection> got = co_await tenants.acquire(id, until);
  if (!got) error = got.error();
}

TEST(TenantCancelTest, ACancelledCallerLeavesTheLineAndTheBudgets) {
  SimTenants sim(tenant_options(20, 13));
  const int room = sim.server.limit;
  for (int i = 0; i < room; ++i) sim.call("busy", 1min, 10s);
  sim.scheduler.run_for(1s);
  Cancellation gone(sim.scheduler);
  std::optional<Error> error;
  start_detached(sim.scheduler, acquire(*sim.tenants, "late", Until(kNever, gone), error));
  sim.scheduler.run_for(1s);
  ASSERT_EQ(sim.statistics("late").waiters, 1);
  ASSERT_EQ(sim.tenants->totals().in_line, 1);

  gone.cancel();
  const int waiters_at_once = sim.statistics("late").waiters;
  sim.scheduler.settle();

  EXPECT_EQ(waiters_at_once, 0);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), Errc::cancelled);
  EXPECT_NE(error->text().find("tenant late: cancelled after"), std::string::npos) << error->text();
  EXPECT_EQ(sim.tenants->totals().in_line, 0);
  EXPECT_EQ(sim.tenants->totals().counters.cancels, 1u);
}

TEST(TenantCancelTest, NothingIsAskedForACallerWhoWasCancelledBefore) {
  SimTenants sim(tenant_options(20, 2));
  Cancellation gone(sim.scheduler);
  gone.cancel();
  std::optional<Error> error;

  start_detached(sim.scheduler, acquire(*sim.tenants, "late", Until(kNever, gone), error));
  sim.scheduler.run_for(1s);

  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), Errc::cancelled);
  EXPECT_FALSE(sim.tenants->statistics("late").has_value());
  EXPECT_EQ(sim.server.most_sessions, 0);
}

}  // namespace
}  // namespace forebay::test
