// TenantSessions: one tenant's sessions, for whatever asks a SessionSource: statements and
// transactions without a session in hand, say.
//
//   TenantSessions acme(*tenants, "acme");
//   Result<int> size = acme.query_one_blocking<int>("SELECT count(*) FROM orders");
//
// As cheap as the id that it holds. Thread-safe; the tenants outlive it.
#pragma once

#include <source_location>
#include <string>
#include <utility>

#include "forebay/postgres/direct_statements.hpp"

namespace forebay::postgres {

class PostgresTenants;

// query(), exec() and transaction() come from DirectStatements.
class TenantSessions final : public SessionSource, public DirectStatements<TenantSessions> {
 public:
  TenantSessions(PostgresTenants& tenants, std::string tenant)
      : tenants_(tenants), tenant_(std::move(tenant)) {}

  Task<Result<PooledSession>> acquire(
      Until until, std::source_location from = std::source_location::current()) override;
  Result<PooledSession> acquire_blocking(
      Duration timeout, std::source_location from = std::source_location::current()) override;
  Duration call_timeout() const override;
  const Observation& observation() const override;
  Env env() override;
  Random& thread_random() override;

 private:
  PostgresTenants& tenants_;
  const std::string tenant_;
};

}  // namespace forebay::postgres
