// The loop behind TenantPools: it makes room for tenants that stand in line, and takes apart the
// pools that had to go.
#include <algorithm>

#include "forebay/base/check.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/tenants/tenant_pools.hpp"

namespace forebay {
namespace {

// A look at all pools takes some time for each of them. With thousands of pools, what happens
// meanwhile is looked at together.
constexpr Duration kPausePerPool = std::chrono::microseconds(1);

constexpr Duration kPaceWindow = std::chrono::seconds(1);

}  // namespace

Task<void> TenantPools::keep() {
  for (;;) {
    reap();
    if (is_empty()) break;
    measure_pace();
    const Instant wake_at = make_room();
    const Instant look_after = env_.scheduler.now() + pause_between_looks();
    co_await attention_.wait_until(wake_at);
    co_await sleep_until(env_.scheduler, look_after);
  }
  co_await tasks_.join();
  is_gone_ = true;
  changed_.notify_all();
}

// ---- room

Instant TenantPools::make_room() {
  std::vector<TenantEviction> evictions;
  Instant wake_at = kNever;
  {
    MutexLock lock(mutex_);
    drop_empty_pools();
    int in_line = 0;
    for (std::size_t need = 0; need < kRoomNeeds; ++need)
      in_line += budget_.in_line(static_cast<RoomNeed>(need));
    if (in_line == 0 || is_closed_) return kNever;
    std::vector<TenantPool*> pools;
    const RoomPlan plan = plan_room_now(pools);
    carry_out(plan, pools, evictions);
    wake_at = plan.wake_at;
    // What is coming may be granted to somebody who has no caller any more: while there are callers
    // in line, the plan is made again before long.
    const int pressing =
        budget_.in_line(RoomNeed::empty_handed) + budget_.in_line(RoomNeed::waiting);
    if (pressing > 0) wake_at = std::min(wake_at, env_.scheduler.now() + options_.stint);
  }
  if (options_.on_evicted) {
    for (const TenantEviction& eviction : evictions) options_.on_evicted(eviction);
  }
  return wake_at;
}

RoomPlan TenantPools::plan_room_now(std::vector<TenantPool*>& pools) {
  const Instant now = env_.scheduler.now();
  std::vector<TenantStanding> standings;
  for (TenantPool* pool = pools_.front(); pool != nullptr; pool = PoolList::next(*pool)) {
    const PoolGauges gauges = pool->pool.gauges();
    TenantStanding standing;
    standing.held = gauges.approved - gauges.closing;
    standing.ready = gauges.ready;
    standing.lent = gauges.lent;
    standing.waiters = gauges.waiters;
    standing.is_pinned = pool->pins > 0;
    standing.lacks_room = gauges.lacks_room;
    standing.last_used = pool->tenant.last_used;
    if (gauges.open() == 0) pool->stint_began = now;
    standing.stint_began = pool->stint_began;
    standings.push_back(standing);
    pools.push_back(pool);
  }
  // What a closed pool still opens, resets or checks goes as soon as that is done.
  int coming = budget_.coming();
  for (TenantPool* old = old_pools_.front(); old != nullptr; old = PoolList::next(*old)) {
    const PoolGauges gauges = old->pool.gauges();
    coming += std::max(0, gauges.approved - gauges.closing - gauges.lent);
  }
  RoomRule rule;
  rule.budget = budget_.max();
  rule.stint = options_.stint;
  return plan_room(standings, rule, coming, now);
}

void TenantPools::carry_out(const RoomPlan& plan, const std::vector<TenantPool*>& pools,
                            std::vector<TenantEviction>& evictions) {
  for (const std::size_t index : plan.close) {
    TenantPool& pool = *pools[index];
    TenantEviction eviction;
    eviction.tenant = *pool.tenant.id;
    eviction.last_used = pool.tenant.last_used;
    eviction.connections = pool.pool.gauges().approved;
    evictions.push_back(eviction);
    ++pool.tenant.evictions;
    ++past_.evictions;
    retire(pool, DiscardReason::evicted_tenant);
  }
  for (const Shedding& shedding : plan.shed) pools[shedding.pool]->pool.shed(shedding.connections);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (pools[i]->yields == 0 && plan.yields[i] == 0) continue;
    pools[i]->yields = plan.yields[i];
    pools[i]->pool.set_yields(plan.yields[i]);
  }
  budget_.call(plan.calls);
}

// A pool that has lost its connections to their idle time is worth little and costs memory.
void TenantPools::drop_empty_pools() {
  TenantPool* pool = pools_.front();
  while (pool != nullptr && static_cast<int>(pools_.size()) > most_pools()) {
    TenantPool& each = *pool;
    pool = PoolList::next(each);
    const PoolGauges gauges = each.pool.gauges();
    if (gauges.approved == 0 && gauges.waiters == 0 && each.pins == 0)
      retire(each, DiscardReason::idle);
  }
}

// ---- ends

// From here on nobody finds it. Whoever holds one of its connections, or waits for one, does so
// until the pool itself lets go of them.
void TenantPools::retire(TenantPool& pool, DiscardReason reason) {
  pools_.erase(pool);
  old_pools_.push_back(pool);
  pool.tenant.pool = nullptr;
  ++pool.tenant.old_pools;
  pool.pool.stop(reason);
  tasks_.spawn(see_off(pool));
}

Task<void> TenantPools::see_off(TenantPool& pool) {
  co_await pool.pool.close(kNever);
  pool.is_gone = true;
  attention_.notify();
}

void TenantPools::reap() {
  std::vector<std::unique_ptr<TenantPool>> gone;
  {
    MutexLock lock(mutex_);
    TenantPool* pool = old_pools_.front();
    while (pool != nullptr) {
      TenantPool& each = *pool;
      pool = PoolList::next(each);
      if (!each.is_gone || each.pins > 0) continue;
      old_pools_.erase(each);
      gone.emplace_back(&each);
      const PoolCounters counters = each.pool.statistics().counters;
      Tenant& tenant = each.tenant;
      tenant.served += counters.acquired;
      tenant.timeouts += counters.timeouts;
      tenant.opened += counters.opened;
      add(past_.counters, counters);
      --tenant.old_pools;
      if (tenant.pool == nullptr && tenant.old_pools == 0) cold_.push_back(tenant);
    }
  }
  if (!gone.empty()) changed_.notify_all();
}

bool TenantPools::is_empty() const {
  MutexLock lock(mutex_);
  return is_closed_ && pools_.empty() && old_pools_.empty();
}

void TenantPools::retire_pools() {
  MutexLock lock(mutex_);
  is_closed_ = true;
  while (TenantPool* pool = pools_.front()) retire(*pool, DiscardReason::closed);
  attention_.notify();
}

Task<bool> TenantPools::close(Instant deadline) {
  retire_pools();
  while (is_started_ && !is_gone_) {
    const bool is_in_time = co_await changed_.wait_until(deadline);
    if (!is_in_time) co_return is_gone_;
  }
  co_return true;
}

void TenantPools::give_up() {
  MutexLock lock(mutex_);
  for (TenantPool* pool = old_pools_.front(); pool != nullptr; pool = PoolList::next(*pool))
    pool->pool.give_up();
}

void TenantPools::retire_tenant(std::string_view id) {
  MutexLock lock(mutex_);
  const auto found = tenants_.find(id);
  if (found != tenants_.end() && found->second.pool != nullptr)
    retire(*found->second.pool, DiscardReason::closed);
}

bool TenantPools::has_old_pools(std::string_view id) const {
  MutexLock lock(mutex_);
  const auto found = tenants_.find(id);
  return found != tenants_.end() && found->second.old_pools > 0;
}

Task<bool> TenantPools::close_tenant(std::string tenant, Instant deadline) {
  retire_tenant(tenant);
  while (has_old_pools(tenant)) {
    const bool is_in_time = co_await changed_.wait_until(deadline);
    if (!is_in_time) co_return !has_old_pools(tenant);
  }
  co_return true;
}

void TenantPools::retire_all(DiscardReason reason) {
  MutexLock lock(mutex_);
  for (TenantPool* pool = pools_.front(); pool != nullptr; pool = PoolList::next(*pool))
    pool->pool.retire_all(reason);
}

// ---- what is known

// How often room was found, for whoever wants to know when to try again.
void TenantPools::measure_pace() {
  const Instant now = env_.scheduler.now();
  const Duration window = now - pace_from_;
  if (window < kPaceWindow) return;
  const std::uint64_t grants = budget_.grants() - grants_before_;
  grants_before_ += grants;
  pace_from_ = now;
  MutexLock lock(mutex_);
  time_per_grant_ = grants == 0 ? Duration::max() : window / static_cast<std::int64_t>(grants);
}

Duration TenantPools::pause_between_looks() const {
  MutexLock lock(mutex_);
  return kPausePerPool * static_cast<std::int64_t>(pools_.size());
}

void TenantPools::audit() const {
  MutexLock lock(mutex_);
  int approved = 0;
  for (const PoolList* list : {&pools_, &old_pools_}) {
    for (const TenantPool* pool = list->front(); pool != nullptr; pool = PoolList::next(*pool)) {
      pool->pool.audit();
      approved += pool->pool.gauges().approved;
      FOREBAY_CHECK(pool->pins >= 0, "a tenant's pool was unpinned too often");
      FOREBAY_CHECK((list == &pools_) == (pool->tenant.pool == pool),
                    "a tenant does not know its pool");
    }
  }
  // What has been granted is in use and not yet in a pool's books.
  FOREBAY_CHECK(approved <= budget_.in_use() && budget_.in_use() <= budget_.max(),
                "tenants have more connections than their budget");
}

}  // namespace forebay
