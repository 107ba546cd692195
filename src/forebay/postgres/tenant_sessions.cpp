#include "forebay/postgres/tenant_sessions.hpp"

#include "forebay/postgres/postgres_tenants.hpp"

namespace forebay::postgres {

Task<Result<PooledSession>> TenantSessions::acquire(Until until, std::source_location from) {
  return tenants_.acquire(tenant_, until, from);
}

Result<PooledSession> TenantSessions::acquire_blocking(Duration timeout,
                                                       std::source_location from) {
  return tenants_.acquire_blocking(tenant_, timeout, from);
}

Duration TenantSessions::call_timeout() const { return tenants_.options().pool.call_timeout; }

const Observation& TenantSessions::observation() const { return tenants_.observation(); }

Env TenantSessions::env() { return tenants_.system().env(); }

Random& TenantSessions::thread_random() { return tenants_.system().thread_random(); }

}  // namespace forebay::postgres
