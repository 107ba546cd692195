// TenantSessions: one tenant's sessions, for whatever asks a SessionSource: transactions, say.
//
//   TenantSessions acme(*tenants, "acme");
//   Result<int> moved = run_transaction_blocking(acme, options, body);
//
// As cheap as the id that it holds. Thread-safe; the tenants outlive it.
#pragma once

#include <source_location>
#include <string>
#include <utility>

#include "forebay/postgres/transaction/session_source.hpp"

namespace forebay::postgres {

class PostgresTenants;

class TenantSessions final : public SessionSource {
 public:
  TenantSessions(PostgresTenants& tenants, std::string tenant)
      : tenants_(tenants), tenant_(std::move(tenant)) {}

  Task<Result<PooledSession>> acquire(
      Until until, std::source_location from = std::source_location::current()) override;
  Result<PooledSession> acquire_blocking(
      Duration timeout, std::source_location from = std::source_location::current()) override;
  Env env() override;
  Random& thread_random() override;

 private:
  PostgresTenants& tenants_;
  const std::string tenant_;
};

}  // namespace forebay::postgres
