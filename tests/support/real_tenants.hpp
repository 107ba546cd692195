// Tenants over a fake server on the real scheduler, for tests and benchmarks with threads.
#pragma once

#include <memory>
#include <utility>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/tenants/tenant_pools.hpp"
#include "support/fake_connector.hpp"

namespace forebay::test {

// Each database has a connector to the same server.
class FakeTenantConnectors final : public TenantConnectors {
 public:
  explicit FakeTenantConnectors(FakeServer& server) : server_(server) {}
  Result<std::unique_ptr<Connector>> connector(const std::string&) override {
    return std::make_unique<FakeConnector>(server_);
  }
  Task<Result<bool>> make_database(std::string, Instant) override { co_return true; }

 private:
  FakeServer& server_;
};

class RealTenants {
 public:
  // The server is told how to behave before anything starts: afterwards it belongs to the
  // scheduler's thread.
  template <class Configure>
  RealTenants(TenantOptions options, Configure&& configure)
      : runtime_(), server_(runtime_.scheduler()), connectors_(server_) {
    server_.limit = shares_of(options).tenants;
    configure(server_);
    pools_ = std::make_unique<TenantPools>(runtime_.env(), connectors_, std::move(options));
    pools_->start();
  }
  ~RealTenants() { close(); }

  TenantPools& operator*() { return *pools_; }
  TenantPools* operator->() { return pools_.get(); }
  Scheduler& scheduler() { return runtime_.scheduler(); }

  // The server may be looked at afterwards.
  const FakeServer& close() {
    if (pools_) run_blocking(runtime_.scheduler(), pools_->close(kNever));
    pools_.reset();
    return server_;
  }

 private:
  Runtime runtime_;
  FakeServer server_;
  FakeTenantConnectors connectors_;
  std::unique_ptr<TenantPools> pools_;
};

}  // namespace forebay::test
