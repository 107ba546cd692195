// What is known of tenants: one by one, and added up.
#include <unordered_map>

#include "forebay/core/capacity.hpp"
#include "forebay/tenants/tenant_pools.hpp"

namespace forebay {
namespace {

void add(TenantStatistics& to, const PoolStatistics& pool) {
  to.open += pool.open();
  to.lent += pool.lent;
  to.waiters += pool.waiters;
  to.served += pool.counters.acquired;
  to.timeouts += pool.counters.timeouts;
  to.opened += pool.counters.opened;
  to.waits += pool.counters.waits();
  to.wait_time += pool.counters.wait_time();
}

void add(TenantStatistics& to, const TenantStatistics& more) {
  to.open += more.open;
  to.lent += more.lent;
  to.waiters += more.waiters;
  to.served += more.served;
  to.timeouts += more.timeouts;
  to.opened += more.opened;
  to.waits += more.waits;
  to.wait_time += more.wait_time;
}

}  // namespace

std::optional<TenantStatistics> TenantPools::statistics(std::string_view tenant) const {
  MutexLock lock(mutex_);
  const auto found = tenants_.find(tenant);
  if (found == tenants_.end()) return std::nullopt;
  return statistics_of(found->second);
}

std::vector<TenantStatistics> TenantPools::warm_statistics() const {
  MutexLock lock(mutex_);
  std::vector<TenantStatistics> warm;
  warm.reserve(pools_.size());
  add_warm(warm);
  return warm;
}

void TenantPools::add_warm(std::vector<TenantStatistics>& all) const {
  for (const TenantPool* pool = pools_.front(); pool != nullptr; pool = PoolList::next(*pool))
    all.push_back(statistics_of(pool->tenant));
}

std::vector<TenantStatistics> TenantPools::all_statistics() const {
  MutexLock lock(mutex_);
  std::vector<TenantStatistics> all;
  all.reserve(tenants_.size());
  add_warm(all);
  for (const auto& [id, tenant] : tenants_) {
    if (tenant.pool == nullptr) all.push_back(statistics_of(tenant));
  }
  return all;
}

std::optional<LeakReport> TenantPools::lent_to_this_thread() const {
  MutexLock lock(mutex_);
  for (const PoolList* list : {&pools_, &old_pools_}) {
    for (const TenantPool* pool = list->front(); pool != nullptr; pool = PoolList::next(*pool)) {
      std::optional<LeakReport> mine = pool->pool.lent_to_this_thread();
      if (mine) return mine;
    }
  }
  return std::nullopt;
}

// Of pools that are gone, without the name, which is not copied under the lock where many ask.
TenantStatistics TenantPools::remembered(const Tenant& tenant) const {
  TenantStatistics result;
  result.is_warm = tenant.pool != nullptr;
  result.max = options_.max_per_tenant;
  result.served = tenant.served;
  result.timeouts = tenant.timeouts;
  result.opened = tenant.opened;
  result.waits = tenant.waits;
  result.wait_time = tenant.wait_time;
  result.evictions = tenant.evictions;
  result.last_used = tenant.last_used;
  return result;
}

TenantStatistics TenantPools::statistics_of(const Tenant& tenant) const {
  TenantStatistics result = remembered(tenant);
  result.tenant = *tenant.id;
  if (tenant.pool != nullptr) add(result, tenant.pool->pool.statistics());
  int unseen = tenant.old_pools;
  for (const TenantPool* old = old_pools_.front(); unseen > 0; old = PoolList::next(*old)) {
    if (&old->tenant != &tenant) continue;
    add(result, old->pool.statistics());
    --unseen;
  }
  return result;
}

TenantTotals TenantPools::brief_totals() const {
  MutexLock lock(mutex_);
  return add_up();
}

TenantTotals TenantPools::add_up() const {
  TenantTotals totals = past_;
  totals.known = static_cast<int>(tenants_.size());
  totals.pools = static_cast<int>(pools_.size());
  totals.old_pools = static_cast<int>(old_pools_.size());
  for (std::size_t need = 0; need < kRoomNeeds; ++need)
    totals.in_line += budget_.in_line(static_cast<RoomNeed>(need));
  totals.in_use = budget_.in_use();
  totals.max = budget_.max();
  return totals;
}

TenantTotals TenantPools::totals() const {
  TenantTotals totals;
  const std::vector<TenantPool*> pools = begin_reading(Which::all, &totals);
  for (const TenantPool* pool : pools) {
    const PoolStatistics statistics = pool->pool.statistics();
    add(totals, statistics);
    add(totals.counters, statistics.counters);
  }
  end_reading(pools);
  totals.max = budget_.max();  // not the sum of those of the pools
  return totals;
}

// Pools are asked without the lock, as in totals(): this is for every scrape.
TenancyStatistics TenantPools::statistics() const {
  TenancyStatistics all;
  all.at = env_.scheduler.now();
  all.max_connections = options_.max_connections;
  all.max_per_tenant = options_.max_per_tenant;
  all.shares = shares_;
  const std::vector<TenantPool*> pools = begin_reading(Which::all, &all.totals);
  NowByTenant now;
  for (const TenantPool* pool : pools) {
    const PoolStatistics statistics = pool->pool.statistics();
    add(now[&pool->tenant], statistics);
    add(all.totals, statistics);
    add(all.totals.counters, statistics.counters);
  }
  all.by_tenant = add_remembered(pools, now);
  end_reading(pools);
  all.totals.max = budget_.max();  // not the sum of those of the pools
  all.tenants = usage_of(all.totals, all.totals.counters);
  return all;
}

// Of those with a pool, in the order of the pools.
std::vector<TenantStatistics> TenantPools::add_remembered(const std::vector<TenantPool*>& pools,
                                                          const NowByTenant& now) const {
  std::vector<TenantStatistics> warm;
  std::vector<const Tenant*> tenants;
  warm.reserve(pools.size());
  tenants.reserve(pools.size());
  {
    MutexLock lock(mutex_);
    for (const TenantPool* pool : pools) {
      if (pool->tenant.pool != pool) continue;
      warm.push_back(remembered(pool->tenant));
      tenants.push_back(&pool->tenant);
    }
  }
  for (std::size_t i = 0; i < warm.size(); ++i) {
    warm[i].tenant = *tenants[i]->id;
    add(warm[i], now.at(tenants[i]));
  }
  return warm;
}

// Memory for all of them is found before the lock.
std::vector<TenantPool*> TenantPools::begin_reading(Which which, TenantTotals* gone) const {
  std::vector<TenantPool*> pools;
  std::size_t count = 0;
  do {
    pools.reserve(count + count / 8);
    MutexLock lock(mutex_);
    const PoolList* const warm = which != Which::old ? &pools_ : nullptr;
    const PoolList* const old = which != Which::warm ? &old_pools_ : nullptr;
    count = (warm != nullptr ? warm->size() : 0) + (old != nullptr ? old->size() : 0);
    if (count > pools.capacity()) continue;
    if (gone != nullptr) *gone = add_up();
    for (const PoolList* list : {warm, old}) {
      if (list == nullptr) continue;
      for (TenantPool* pool = list->front(); pool != nullptr; pool = PoolList::next(*pool)) {
        ++pool->readers;
        pools.push_back(pool);
      }
    }
  } while (pools.size() < count);
  return pools;
}

void TenantPools::end_reading(const std::vector<TenantPool*>& pools) const {
  {
    MutexLock lock(mutex_);
    bool is_awaited = false;
    for (TenantPool* pool : pools) {
      --pool->readers;
      is_awaited = is_awaited || pool->is_awaited;
    }
    if (!is_awaited) return;
    last_calls_.begin();  // as in unpin()
  }
  attention_.notify();
  last_calls_.end();
}

std::optional<PoolStatistics> TenantPools::pool_statistics(std::string_view tenant) const {
  MutexLock lock(mutex_);
  const auto found = tenants_.find(tenant);
  if (found == tenants_.end() || found->second.pool == nullptr) return std::nullopt;
  return found->second.pool->pool.statistics();
}

}  // namespace forebay
