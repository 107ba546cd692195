// What the tests of tenants against a real server share: the databases, and a server that refuses
// one connection too many and never has to.
#pragma once

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "forebay/postgres/postgres_tenants.hpp"
#include "integration/pool_fixture.hpp"

namespace forebay::test {

using postgres::PostgresTenants;

inline std::string workspace(int number) { return fmt::format("w-{}", number); }

class TenantsFixture : public PoolFixture {
 protected:
  // The role may have as many sessions as tenants may together, and not one more. The system pool
  // has one, by which it sees at the start that the server lets us in; the rest of its share it
  // opens only to make databases.
  void launch_for(const TenantOptions& options) {
    const TenantShares shares = shares_of(options);
    allowed_ = shares.tenants + (options.creates_missing_databases ? shares.system : 1);
    PostgresServerOptions server_options;
    server_options.max_connections = allowed_ + 20;
    launch(server_options);
    ASSERT_TRUE(ask(fmt::format("ALTER ROLE app CREATEDB CONNECTION LIMIT {}", allowed_)));
  }
  void open(TenantOptions options) {
    auto opened = PostgresTenants::open(runtime, server->url("app", "postgres"), options);
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    tenants = std::move(*opened);
  }
  static TenantOptions options_of(int max_connections, int max_per_tenant) {
    TenantOptions options;
    options.max_connections = max_connections;
    options.max_per_tenant = max_per_tenant;
    options.prefix = "test";
    return options;
  }

  // Made by four at once, which is about as fast as a server makes them.
  void make_databases(int count) {
    PoolOptions options;
    options.size.max = 4;
    auto makers = PostgresPool::open(runtime, server->superuser_url(), options);
    ASSERT_TRUE(makers.has_value()) << makers.error().text();
    std::atomic<int> next = 1;
    std::atomic<int> failed = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int number = next++; number <= count; number = next++) {
          Result<PooledSession> session = (*makers)->acquire_blocking(60s);
          const std::string made = fmt::format(
              "CREATE DATABASE test_ws_w_{} OWNER app TEMPLATE template0 STRATEGY WAL_LOG", number);
          if (!session || !(*session)->exec_blocking(made, 60s)) ++failed;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(failed, 0);
  }

  // The workspace's own database answers.
  void use(const std::string& tenant) {
    Result<PooledSession> session = tenants->acquire_blocking(tenant, 30s);
    ASSERT_TRUE(session.has_value()) << session.error().text();
    std::string name = "test_ws_" + tenant;
    std::ranges::replace(name, '-', '_');
    const Result<QueryResult> seen = (*session)->exec_blocking("SELECT current_database()", 30s);
    ASSERT_TRUE(seen.has_value()) << seen.error().text();
    EXPECT_EQ(seen->value(0, 0), name);
  }
  // All that a workspace may have, at once.
  void use_fully(const std::string& tenant, int connections) {
    std::vector<PooledSession> held;
    for (int i = 0; i < connections; ++i) {
      Result<PooledSession> session = tenants->acquire_blocking(tenant, 30s);
      ASSERT_TRUE(session.has_value()) << session.error().text();
      held.push_back(std::move(*session));
    }
  }
  void expect_all_well() {
    EXPECT_EQ(refusals(), 0u);
    EXPECT_EQ(tenants->totals().lent, 0);
    EXPECT_LE(tenants->totals().in_use, tenants->totals().max);
    EXPECT_TRUE(tenants->close(60s));
    EXPECT_EQ(sessions(), 0);
  }

  int allowed_ = 0;
  std::unique_ptr<PostgresTenants> tenants;
};

// Looks at the server all the time: how many sessions there were at most.
class SessionWatch {
 public:
  explicit SessionWatch(std::function<int()> sessions)
      : load_(1, [this, sessions = std::move(sessions)](int) {
          most_ = std::max(most_.load(), sessions());
          ++looks_;
          std::this_thread::sleep_for(5ms);
        }) {}
  int most() const { return most_; }
  int looks() const { return looks_; }
  void stop() { load_.stop(); }

 private:
  std::atomic<int> most_ = 0;
  std::atomic<int> looks_ = 0;
  Load load_;  // the last: it uses the others
};

}  // namespace forebay::test
