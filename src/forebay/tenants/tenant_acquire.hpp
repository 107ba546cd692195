// TenantAcquire: what `co_await tenants.acquire("acme", deadline)` awaits.
//
// If the tenant has a connection ready it does not suspend and allocates nothing.
#pragma once

#include <optional>
#include <string_view>

#include "forebay/pool/acquire.hpp"
#include "forebay/tenants/tenant_pool.hpp"

namespace forebay {

class TenantPools;

// What a caller finds: a connection, or a pool to wait at, pinned until unpin(), or why neither.
struct TenantLook {
  std::optional<PooledConnection> taken;
  TenantPool* pool = nullptr;
  std::optional<Error> error;
};

class [[nodiscard]] TenantAcquire {
 public:
  // To be awaited by a task of that scheduler. The id lives until then.
  TenantAcquire(TenantPools& tenants, Scheduler& scheduler, std::string_view id, Until until,
                std::source_location from)
      : tenants_(tenants), scheduler_(scheduler), id_(id), until_(until), from_(from) {}
  TenantAcquire(const TenantAcquire&) = delete;
  TenantAcquire& operator=(const TenantAcquire&) = delete;

  bool await_ready();
  bool await_suspend(std::coroutine_handle<> task) { return waiting_->await_suspend(task); }
  Result<PooledConnection> await_resume();

 private:
  TenantPools& tenants_;
  Scheduler& scheduler_;
  const std::string_view id_;
  const Until until_;
  const std::source_location from_;
  Instant since_{};
  TenantLook look_;
  std::optional<Acquire> waiting_;
};

}  // namespace forebay
