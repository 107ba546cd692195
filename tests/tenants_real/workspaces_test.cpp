// Many workspaces, a database each, on a server with few connections.
#include <set>

#include <gmock/gmock.h>

#include "tenants_real/tenants_fixture.hpp"

namespace forebay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class WorkspacesTest : public TenantsFixture {
 protected:
  // Evictions are noted on the runtime's thread: read them when nothing happens any more.
  void open_noting(TenantOptions options) {
    options.on_evicted = [this](const TenantEviction& eviction) {
      const std::lock_guard lock(mutex_);
      evicted_.emplace_back(eviction.tenant);
    };
    open(options);
  }
  std::vector<std::string> evicted() {
    const std::lock_guard lock(mutex_);
    return evicted_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> evicted_;
};

// 22 for tenants: seven workspaces with three each, and the rest has to make room.
TEST_F(WorkspacesTest, TwentyWorkspacesOfThreeShareTwentyTwo) {
  const TenantOptions options = options_of(30, 3);
  launch_for(options);
  make_databases(20);
  open_noting(options);
  SessionWatch watch([this] { return sessions(); });

  std::vector<std::thread> threads;
  for (int i = 1; i <= 5; ++i) threads.emplace_back([this, i] { use_fully(workspace(i), 3); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tenants->totals().pools, 5);
  EXPECT_LE(tenants->totals().in_use, 15);
  for (int i = 6; i <= 20; ++i) use_fully(workspace(i), 3);

  watch.stop();
  EXPECT_LE(watch.most(), allowed_);
  EXPECT_GE(tenants->totals().evictions, 12u);
  EXPECT_EQ(tenants->totals().counters.acquired, 60u);
  expect_all_well();
}

TEST_F(WorkspacesTest, FiftyWorkspacesOneAfterAnother) {
  const TenantOptions options = options_of(30, 3);
  launch_for(options);
  make_databases(50);
  open_noting(options);
  SessionWatch watch([this] { return sessions(); });

  for (int i = 1; i <= 50; ++i) use(workspace(i));

  watch.stop();
  EXPECT_LE(watch.most(), allowed_);
  EXPECT_LE(tenants->totals().pools, 22);
  std::vector<std::string> in_order;
  for (int i = 1; i <= 28; ++i) in_order.push_back(workspace(i));
  EXPECT_EQ(evicted(), in_order);
  expect_all_well();
}

TEST_F(WorkspacesTest, FiftyThreadsOnThirtyWorkspaces) {
  const TenantOptions options = options_of(50, 2);
  launch_for(options);
  make_databases(30);
  open_noting(options);
  SessionWatch watch([this] { return sessions(); });

  std::vector<std::thread> threads;
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([this, i] {
      for (int round = 0; round < 20; ++round) use(workspace((i * 7 + round * 11) % 30 + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();

  watch.stop();
  EXPECT_LE(watch.most(), allowed_);
  EXPECT_GT(watch.looks(), 3);
  EXPECT_EQ(tenants->totals().counters.acquired, 1000u);
  expect_all_well();
}

// Budget 22, three each: seven full workspaces and one connection of an eighth.
TEST_F(WorkspacesTest, AtCapacityTheLeastRecentlyUsedGoes) {
  const TenantOptions options = options_of(30, 3);
  launch_for(options);
  make_databases(10);
  open_noting(options);
  for (int i = 1; i <= 7; ++i) use_fully(workspace(i), 3);
  use(workspace(8));
  ASSERT_EQ(tenants->totals().in_use, 22);
  use(workspace(1));

  use(workspace(9));

  EXPECT_THAT(evicted(), ElementsAre(workspace(2)));
  EXPECT_EQ(tenants->statistics(workspace(2))->evictions, 1u);
  EXPECT_TRUE(tenants->statistics(workspace(1))->is_warm);
  EXPECT_LE(tenants->totals().in_use, 22);
  expect_all_well();
}

TEST_F(WorkspacesTest, AWorkspaceUsesItsConnectionAgain) {
  const TenantOptions options = options_of(30, 3);
  launch_for(options);
  make_databases(1);
  open_noting(options);

  std::set<int> backends;
  for (int i = 0; i < 20; ++i) {
    Result<PooledSession> session = tenants->acquire_blocking(workspace(1), 30s);
    ASSERT_TRUE(session.has_value()) << session.error().text();
    backends.insert(number((*session)->exec_blocking("SELECT pg_backend_pid()", 30s)));
  }

  // While one is being cleaned, another may have been opened.
  EXPECT_LE(backends.size(), 3u);
  EXPECT_EQ(tenants->statistics(workspace(1))->opened, backends.size());
  EXPECT_EQ(tenants->totals().pools, 1);
  expect_all_well();
}

TEST_F(WorkspacesTest, AnyCapOfAWorkspaceKeepsTheTotal) {
  launch_for(options_of(30, 3));
  make_databases(12);
  for (const int cap : {2, 3, 5}) {
    open_noting(options_of(30, cap));
    for (int i = 1; i <= 12; ++i) {
      use_fully(workspace(i), cap);
      EXPECT_LE(tenants->statistics(workspace(i))->open, cap);
      EXPECT_LE(tenants->totals().in_use, 22);
    }
    EXPECT_EQ(tenants->totals().evictions > 0, 12 * cap > 22);
    expect_all_well();
  }
}

TEST_F(WorkspacesTest, WhenAllAreInUseACallerIsToldSo) {
  const TenantOptions options = options_of(20, 13);
  launch_for(options);
  make_databases(2);
  open_noting(options);
  std::vector<PooledSession> held;
  for (int i = 0; i < 13; ++i) {
    Result<PooledSession> session = tenants->acquire_blocking(workspace(1), 30s);
    ASSERT_TRUE(session.has_value()) << session.error().text();
    held.push_back(std::move(*session));
  }

  const Result<PooledSession> refused = tenants->acquire_blocking(workspace(2), 2s);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), Errc::limit_reached);
  ASSERT_NE(refused.error().connection_limit(), nullptr);
  EXPECT_EQ(refused.error().connection_limit()->max, 13);
  EXPECT_THAT(refused.error().text(), HasSubstr("13/13 connections in use"));
  std::thread giving([&held] { held.clear(); });
  use(workspace(2));

  giving.join();
  expect_all_well();
}

TEST_F(WorkspacesTest, AMissingDatabaseIsMadeOnce) {
  TenantOptions options = options_of(30, 3);
  options.creates_missing_databases = true;
  launch_for(options);
  open_noting(options);

  std::vector<std::thread> threads;
  for (int i = 0; i < 10; ++i) threads.emplace_back([this] { use("Neu-1"); });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(number(ask("SELECT count(*) FROM pg_database WHERE datname = 'test_ws_Neu_1'")), 1);
  ASSERT_TRUE(tenants->close_tenant("Neu-1", 30s));
  const Result<QueryResult> dropped = ask("DROP DATABASE \"test_ws_Neu_1\"");
  EXPECT_TRUE(dropped.has_value()) << dropped.error().text();
  use("Neu-1");
  EXPECT_EQ(server->log_text().find("already exists"), std::string::npos);
  expect_all_well();
}

TEST_F(WorkspacesTest, WhatCannotWorkIsRefusedBeforeAnythingStarts) {
  TenantOptions options = options_of(10, 0);

  const auto opened = PostgresTenants::open(runtime, "postgresql://h/d?nonsense=1", options);
  const auto on_dsql = PostgresTenants::open(
      runtime, "postgresql://admin@abc.dsql.eu-west-1.on.aws/postgres", TenantOptions());

  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().text(), HasSubstr("unknown keyword"));
  EXPECT_THAT(opened.error().text(), HasSubstr("max_connections is 10"));
  EXPECT_THAT(opened.error().text(), HasSubstr("max_per_tenant is 0"));
  ASSERT_FALSE(on_dsql.has_value());
  EXPECT_THAT(on_dsql.error().text(), HasSubstr("one database"));
}

TEST_F(WorkspacesTest, ATaskAcquiresWithoutAThread) {
  const TenantOptions options = options_of(30, 3);
  launch_for(options);
  make_databases(1);
  open_noting(options);

  const Instant deadline = runtime.scheduler().now() + 30s;
  Result<PooledSession> session =
      run_blocking(runtime.scheduler(), tenants->acquire(workspace(1), deadline));

  ASSERT_TRUE(session.has_value()) << session.error().text();
  session->give_back();
  EXPECT_EQ(tenants->totals().counters.acquired, 1u);
  expect_all_well();
}

}  // namespace
}  // namespace forebay::test
