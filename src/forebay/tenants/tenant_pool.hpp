// What is kept of a tenant: a little for as long as it is known, and a pool while it is in use.
//
// Guarded by the lock of their keeper, unless it says otherwise.
#pragma once

#include <memory>
#include <string>

#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/tenants/noting_connector.hpp"

namespace forebay {

class TenantPool;

// The server has said no for good. Until then nobody asks it again. Not changed once a tenant has
// it, so that callers keep it under the lock and read it after.
struct TenantRefusal {
  explicit TenantRefusal(Error said) : error(std::move(said)) {}
  Error error;
  int times = 1;  // in a row
  Instant until{};
};

// Kept when its pool is gone: small, because there may be hundreds of thousands.
struct Tenant {
  const std::string* id = nullptr;        // the key under which it is kept
  TenantPool* pool = nullptr;             // null: cold
  int old_pools = 0;                      // on their way out
  int pools_in_making = 0;                // by callers who found none
  bool is_there = false;                  // its database, as far as is known; the scheduler's
  const std::string* database = nullptr;  // where DatabaseOwners has it
  std::shared_ptr<const TenantRefusal> refusal;  // the last, if no connect has worked since
  Instant last_used{};
  std::uint64_t served = 0;  // and so on: by pools that are gone
  std::uint64_t timeouts = 0;
  std::uint64_t opened = 0;
  std::uint64_t waits = 0;
  Duration wait_time{};
  std::uint32_t evictions = 0;
  ListLink<Tenant> link;  // while it has no pool: by when it lost it
};

class TenantPool {
 public:
  TenantPool(Tenant& of, Env env, std::unique_ptr<NotingConnector> connects, PoolOptions options,
             const PoolSharing& sharing)
      : tenant(of),
        connector(std::move(connects)),
        pool(env, *connector, std::move(options), sharing) {}

  Tenant& tenant;
  const std::unique_ptr<NotingConnector> connector;
  Pool pool;
  int pins = 0;     // callers who have found it and are not in its books yet, or not any more
  int readers = 0;  // who look at it, or tell it something, without the lock
  bool is_awaited = false;  // nothing of it is left, but for readers
  bool is_refused = false;  // it has ended because the server refuses the tenant for good
  int yields = 0;
  Instant stint_began{};
  bool is_gone = false;              // on its way out: nothing of it is left; the scheduler's
  ListLink<TenantPool> link;         // by recency of use, or among those on their way out
  ListLink<TenantPool> ending_link;  // among those that are about to be stopped; the scheduler's
};

}  // namespace forebay
