// Tenants over a fake server in virtual time, audited after every step.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/tenants/tenant_pools.hpp"
#include "support/fake_connector.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

// All databases are on one server. Those that are missing are refused until they are made.
class FakeDatabases final : public TenantConnectors {
 public:
  explicit FakeDatabases(FakeServer& server) : server_(server) {}

  Result<std::unique_ptr<Connector>> connector(const std::string& database) override {
    connectors.push_back(database);
    return std::make_unique<OneDatabase>(*this, database);
  }
  Task<Result<bool>> make_database(std::string database, Instant) override {
    ++questions;
    co_await sleep_for(server_.scheduler, make_time);
    if (server_.step_fails("make")) co_return failure(Errc::connect_failed, "the system is away");
    if (refusal) co_return failure(*refusal);
    const bool is_new = missing.erase(database) > 0;
    if (is_new) made.push_back(database);
    co_return is_new;
  }

  Duration make_time = 40ms;
  std::set<std::string> missing;
  std::map<std::string, Error> refusals;  // what else the server says to connects
  std::vector<std::string> connectors;    // all that were asked for, in order
  std::vector<std::string> made;
  int questions = 0;
  std::optional<Error> refusal;  // instead of a new database

 private:
  class OneDatabase final : public Connector {
   public:
    OneDatabase(FakeDatabases& databases, std::string database)
        : databases_(databases), database_(std::move(database)), inner_(databases.server_) {}
    Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                      Instant deadline) override {
      const auto refused = databases_.refusals.find(database_);
      if (refused != databases_.refusals.end()) co_return failure(refused->second);
      if (databases_.missing.contains(database_))
        co_return failure(Error(Errc::refused, ErrorClass::permanent,
                                "database \"" + database_ + "\" does not exist", "3D000"));
      co_return co_await inner_.connect(std::move(password), deadline);
    }
    void close() override {}

   private:
    FakeDatabases& databases_;
    const std::string database_;
    FakeConnector inner_;
  };

  FakeServer& server_;
};

inline TenantOptions tenant_options(int max_connections, int max_per_tenant) {
  TenantOptions options;
  options.max_connections = max_connections;
  options.max_per_tenant = max_per_tenant;
  options.prefix = "app";
  return options;
}

class SimTenants {
 public:
  explicit SimTenants(TenantOptions options, std::uint64_t seed = 1)
      : random_(seed), wall_clock_(scheduler, WallTime()), server(scheduler), databases(server) {
    server.limit = shares_of(options).tenants;
    options.on_evicted = [this, further = options.on_evicted](const TenantEviction& eviction) {
      evicted.emplace_back(eviction.tenant);
      if (further) further(eviction);
    };
    tenants.emplace(Env{scheduler, random_, wall_clock_}, databases, std::move(options));
    tenants->start();
    scheduler.set_after_step([this] {
      if (tenants) tenants->audit();
    });
  }
  ~SimTenants() {
    scheduler.run_for(1h);  // what is still held is given back
    if (tenants) close();
    EXPECT_EQ(server.sessions, 0);
    EXPECT_EQ(server.refusals, 0);
  }

  Instant now() const { return scheduler.now(); }
  bool close(Duration limit = 1h) {
    const bool is_gone = run(tenants->close(now() + limit));
    if (is_gone) tenants.reset();
    return is_gone;
  }
  bool close_tenant(const std::string& tenant, Duration limit) {
    return run(tenants->close_tenant(tenant, now() + limit));
  }
  TenantStatistics statistics(const std::string& tenant) const {
    return tenants->statistics(tenant).value();
  }

  // One caller: acquires, holds, gives back. What happened is in the record.
  struct Call {
    explicit Call(std::string id) : tenant(std::move(id)) {}
    std::string tenant;
    Instant asked{};
    Instant ended{};
    std::optional<Error> error;
    bool is_done = false;
    bool is_served() const { return is_done && !error; }
    Duration waited() const { return ended - asked; }
  };
  Call& call(const std::string& tenant, Duration timeout, Duration hold) {
    Call& call = calls.emplace_back(tenant);
    start_detached(scheduler, run_call(call, timeout, hold));
    return call;
  }

  sim::SimScheduler scheduler;

 private:
  SeededRandom random_;
  sim::SimWallClock wall_clock_;

 public:
  FakeServer server;
  FakeDatabases databases;
  std::vector<std::string> evicted;
  std::deque<Call> calls;
  std::optional<TenantPools> tenants;

 private:
  static Task<void> store(Task<bool> task, std::optional<bool>& result) {
    result = co_await std::move(task);
  }
  bool run(Task<bool> task) {
    std::optional<bool> result;
    start_detached(scheduler, store(std::move(task), result));
    while (!result && scheduler.step()) {
    }
    return result.value();
  }

  Task<void> run_call(Call& call, Duration timeout, Duration hold) {
    call.asked = scheduler.now();
    const Instant deadline = deadline_after(call.asked, timeout);
    Result<PooledConnection> got = co_await tenants->acquire(call.tenant, deadline);
    call.ended = scheduler.now();
    call.is_done = true;
    if (!got) {
      call.error = got.error();
      co_return;
    }
    if (hold > Duration::zero()) co_await sleep_for(scheduler, hold);
    got->give_back();
  }
};

}  // namespace forebay::test
