// CallerPlace: where simulated callers acquire, and what can be seen there: a pool, or one tenant
// of many.
#pragma once

#include <string>
#include <utility>

#include "forebay/pool/pool.hpp"
#include "forebay/tenants/tenant_pools.hpp"

namespace forebay::sim {

class CallerPlace {
 public:
  virtual ~CallerPlace() = default;
  virtual Task<Result<PooledConnection>> acquire(Instant deadline) = 0;
  virtual PoolGauges gauges() const = 0;
  virtual PoolCounters counters() const = 0;  // of the pool that is there now
};

// A way to a pool other than acquire(), for tests that plant a bug there.
class Door {
 public:
  virtual ~Door() = default;
  virtual Task<Result<PooledConnection>> acquire(Pool& pool, Instant deadline) = 0;
};

class PoolPlace final : public CallerPlace {
 public:
  PoolPlace(Pool& pool, Door* door) : pool_(pool), door_(door) {}
  Task<Result<PooledConnection>> acquire(Instant deadline) override {
    if (door_ == nullptr) co_return co_await pool_.acquire(deadline);
    co_return co_await door_->acquire(pool_, deadline);
  }
  PoolGauges gauges() const override { return pool_.gauges(); }
  PoolCounters counters() const override { return pool_.statistics().counters; }

 private:
  Pool& pool_;
  Door* const door_;
};

class TenantPlace final : public CallerPlace {
 public:
  TenantPlace(TenantPools& tenants, std::string tenant)
      : tenants_(tenants), tenant_(std::move(tenant)) {}
  Task<Result<PooledConnection>> acquire(Instant deadline) override {
    co_return co_await tenants_.acquire(tenant_, deadline);
  }
  PoolGauges gauges() const override {
    const PoolStatistics all = statistics();
    return static_cast<const PoolGauges&>(all);
  }
  PoolCounters counters() const override { return statistics().counters; }
  const std::string& tenant() const { return tenant_; }

 private:
  PoolStatistics statistics() const {
    return tenants_.pool_statistics(tenant_).value_or(PoolStatistics());
  }

  TenantPools& tenants_;
  const std::string tenant_;
};

}  // namespace forebay::sim
