// TenantSessions: one tenant's sessions, for whatever asks a SessionSource: transactions, say.
//
//   TenantSessions acme(*tenants, "acme");
//   Result<int> moved = run_transaction_blocking(acme, options, body);
//
// As cheap as the id that it holds. Thread-safe; the tenants outlive it.
#pragma once

#include <string>
#include <utility>

#include "forebay/postgres/postgres_tenants.hpp"

namespace forebay::postgres {

class TenantSessions final : public SessionSource {
 public:
  TenantSessions(PostgresTenants& tenants, std::string tenant)
      : tenants_(tenants), tenant_(std::move(tenant)) {}

  Task<Result<PooledSession>> acquire(
      Instant deadline, std::source_location from = std::source_location::current()) override {
    return tenants_.acquire(tenant_, deadline, from);
  }
  Result<PooledSession> acquire_blocking(
      Duration timeout, std::source_location from = std::source_location::current()) override {
    return tenants_.acquire_blocking(tenant_, timeout, from);
  }
  Env env() override { return tenants_.system().env(); }
  Random& thread_random() override { return tenants_.system().thread_random(); }

 private:
  PostgresTenants& tenants_;
  const std::string tenant_;
};

}  // namespace forebay::postgres
