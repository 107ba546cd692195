#include "forebay/tenants/tenant_acquire.hpp"

#include "forebay/tenants/tenant_pools.hpp"

namespace forebay {
namespace {

// Makes an Acquire where it is to live: it cannot be moved.
struct InPlace {
  Pool& pool;
  Scheduler& scheduler;
  Until until;
  const std::source_location& from;
  operator Acquire() const { return pool.acquire_on(scheduler, until, from); }  // NOLINT
};

}  // namespace

bool TenantAcquire::await_ready() {
  if (until_.is_cancelled()) {
    look_.error = Error(Errc::cancelled, "cancelled before it asked for a connection");
    return true;
  }
  look_ = tenants_.look(id_, Holder::loop, from_);
  if (look_.pool == nullptr) return true;
  since_ = scheduler_.now();
  waiting_.emplace(InPlace{look_.pool->pool, scheduler_, until_, from_});
  return waiting_->await_ready();
}

Result<PooledConnection> TenantAcquire::await_resume() {
  if (look_.taken) return std::move(*look_.taken);
  if (look_.error) return failure(std::move(*look_.error));
  Result<PooledConnection> got = waiting_->await_resume();
  if (!got) got = failure(tenants_.explain(*look_.pool, got.error(), scheduler_.now() - since_));
  tenants_.unpin(*look_.pool);
  return got;
}

}  // namespace forebay
