// What is kept of a tenant: a little for as long as it is known, and a pool while it is in use.
//
// Guarded by the lock of whoever keeps them, unless it says otherwise.
#pragma once

#include <memory>
#include <string>

#include "forebay/base/intrusive_list.hpp"
#include "forebay/pool/pool.hpp"

namespace forebay {

class TenantPool;

// Kept when its pool is gone: small, because there may be hundreds of thousands.
struct Tenant {
  const std::string* id = nullptr;  // the key under which it is kept
  TenantPool* pool = nullptr;       // null: cold
  int old_pools = 0;                // on their way out
  bool is_there = false;            // its database, as far as is known; the scheduler's
  Instant last_used{};
  std::uint64_t served = 0;  // and so on: by pools that are gone
  std::uint64_t timeouts = 0;
  std::uint64_t opened = 0;
  std::uint32_t evictions = 0;
  ListLink<Tenant> link;  // while it has no pool: by when it lost it
};

class TenantPool {
 public:
  TenantPool(Tenant& of, Env env, std::unique_ptr<Connector> connects, PoolOptions options,
             const PoolSharing& sharing)
      : tenant(of),
        connector(std::move(connects)),
        pool(env, *connector, std::move(options), sharing) {}

  Tenant& tenant;
  const std::unique_ptr<Connector> connector;
  Pool pool;
  int pins = 0;  // callers who have found it and are not in its books yet, or not any more
  int yields = 0;
  Instant stint_began{};
  bool is_gone = false;       // on its way out: nothing of it is left; the scheduler's
  ListLink<TenantPool> link;  // by recency of use, or among those on their way out
};

}  // namespace forebay
