// The loop behind TenantPools: it makes room for tenants that stand in line, and takes apart the
// pools that had to go.
#include <algorithm>
#include <utility>

#include "forebay/base/sqlstate.hpp"
#include "forebay/core/capacity.hpp"
#include "forebay/core/connect_health.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/pool/pool_control.hpp"
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
    end_refused();
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

// What was seen of a pool, for a plan that is made without the lock. Only this loop destroys pools.
struct TenantPools::Look {
  Look(TenantPool& seen) : pool(&seen), is_pinned(seen.pins > 0) {}  // NOLINT: of what it was made
  TenantPool* pool;
  bool is_pinned;
  Instant last_used = pool->tenant.last_used;
};

Instant TenantPools::make_room() {
  drop_empty_pools();
  std::vector<Look> looks;
  if (in_line() == 0 || !look_at_pools(looks)) return kNever;
  const RoomPlan plan = plan_room_now(looks);
  const bool is_done = carry_out(plan, looks);
  // What is coming may be granted to somebody who has no caller any more: while there are callers
  // in line, the plan is made again before long.
  const int pressing = budget_.in_line(RoomNeed::empty_handed) + budget_.in_line(RoomNeed::waiting);
  const Instant now = env_.scheduler.now();
  if (!is_done) return now;
  return pressing > 0 ? std::min(plan.wake_at, now + options_.stint) : plan.wake_at;
}

int TenantPools::in_line() const {
  int all = 0;
  for (std::size_t need = 0; need < kRoomNeeds; ++need)
    all += budget_.in_line(static_cast<RoomNeed>(need));
  return all;
}

// False: nobody is served any more.
bool TenantPools::look_at_pools(std::vector<Look>& looks) {
  std::size_t count = 0;
  do {
    looks.reserve(count + count / 8);
    MutexLock lock(mutex_);
    if (is_closed_) return false;
    count = pools_.size();
    if (count > looks.capacity()) continue;
    for (TenantPool* pool = pools_.front(); pool != nullptr; pool = PoolList::next(*pool))
      looks.emplace_back(*pool);
  } while (looks.size() < count);
  return true;
}

RoomPlan TenantPools::plan_room_now(std::vector<Look>& looks) {
  const Instant now = env_.scheduler.now();
  std::vector<TenantStanding> standings;
  standings.reserve(looks.size());
  for (const Look& look : looks) {
    const PoolGauges gauges = look.pool->pool.gauges();
    TenantStanding standing;
    standing.held = gauges.approved - gauges.closing;
    standing.ready = gauges.ready;
    standing.lent = gauges.lent;
    standing.waiters = gauges.waiters;
    standing.is_pinned = look.is_pinned;
    standing.lacks_room = gauges.lacks_room;
    standing.last_used = look.last_used;
    if (gauges.open() == 0) look.pool->stint_began = now;
    standing.stint_began = look.pool->stint_began;
    standings.push_back(standing);
  }
  RoomRule rule;
  rule.budget = budget_.max();
  rule.stint = options_.stint;
  return plan_room(standings, rule, room_coming(), now);
}

// What a closed pool still opens, resets or checks goes as soon as that is done.
int TenantPools::room_coming() const {
  int coming = budget_.coming();
  MutexLock lock(mutex_);
  for (TenantPool* old = old_pools_.front(); old != nullptr; old = PoolList::next(*old)) {
    const PoolGauges gauges = old->pool.gauges();
    coming += std::max(0, gauges.approved - gauges.closing - gauges.lent);
  }
  return coming;
}

// False: somebody has come to a pool that was to go, and another plan is needed.
bool TenantPools::carry_out(const RoomPlan& plan, const std::vector<Look>& looks) {
  EndingList ending;
  const bool is_done = evict(plan, looks, ending);
  const std::vector<TenantEviction> evictions = evictions_of(ending);
  end_all(ending, DiscardReason::evicted_tenant);
  for (const Shedding& shedding : plan.shed)
    PoolControl(looks[shedding.pool].pool->pool).shed(shedding.connections);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    TenantPool& pool = *looks[i].pool;
    if (pool.yields == 0 && plan.yields[i] == 0) continue;
    pool.yields = plan.yields[i];
    PoolControl(pool.pool).set_yields(plan.yields[i]);
  }
  budget_.call(plan.calls);
  if (options_.on_evicted) {
    for (const TenantEviction& eviction : evictions) options_.on_evicted(eviction);
  }
  return is_done;
}

bool TenantPools::evict(const RoomPlan& plan, const std::vector<Look>& looks, EndingList& ending) {
  bool is_done = true;
  MutexLock lock(mutex_);
  for (const std::size_t index : plan.close) {
    TenantPool& pool = *looks[index].pool;
    const PoolGauges gauges = pool.pool.gauges();
    const bool is_idle = pool.pins == 0 && gauges.lent == 0 && gauges.waiters == 0;
    is_done = is_done && is_idle;
    if (!is_idle || !pools_.contains(pool)) continue;
    ++pool.tenant.evictions;
    ++past_.evictions;
    retire(pool, ending);
  }
  return is_done;
}

std::vector<TenantEviction> TenantPools::evictions_of(const EndingList& ending) {
  std::vector<TenantEviction> evictions;
  for (const TenantPool* pool = ending.front(); pool != nullptr; pool = EndingList::next(*pool)) {
    TenantEviction eviction;
    eviction.tenant = *pool->tenant.id;
    eviction.last_used = pool->tenant.last_used;
    eviction.connections = pool->pool.gauges().approved;
    evictions.push_back(eviction);
  }
  return evictions;
}

// A pool that has lost its connections to their idle time is worth little and costs memory.
void TenantPools::drop_empty_pools() {
  EndingList ending;
  {
    MutexLock lock(mutex_);
    TenantPool* pool = pools_.front();
    while (pool != nullptr && static_cast<int>(pools_.size()) > most_pools()) {
      TenantPool& each = *pool;
      pool = PoolList::next(each);
      const PoolGauges gauges = each.pool.gauges();
      if (gauges.approved == 0 && gauges.waiters == 0 && each.pins == 0) retire(each, ending);
    }
  }
  end_all(ending, DiscardReason::idle);
}

// ---- ends

// From here on nobody finds it. A caller that holds one of its connections, or waits for one, does
// so until the pool itself lets go of them.
void TenantPools::retire(TenantPool& pool, EndingList& ending) {
  pools_.erase(pool);
  old_pools_.push_back(pool);
  pool.tenant.pool = nullptr;
  ++pool.tenant.old_pools;
  ending.push_back(pool);
}

// Without the lock: those who wait there are woken.
void TenantPools::end_all(EndingList& ending, DiscardReason reason) {
  while (TenantPool* pool = ending.pop_front()) {
    PoolControl(pool->pool).stop(reason);
    tasks_.spawn(close_and_wait(*pool));
  }
}

Task<void> TenantPools::close_and_wait(TenantPool& pool) {
  co_await pool.pool.close(kNever);
  pool.is_gone = true;
  attention_.notify();
}

// Called by a connect that is still in the pool's books.
void TenantPools::note_refused(TenantPool& pool, const Error& error) {
  refused_.emplace_back(pool, error);
  attention_.notify();
}

// A caller at a tenant whose every connect is refused would wait in vain, and its pool would hold
// room. It ends, its callers hear what the server said, and so do those who come before the pause
// is over. A tenant with open connections goes on with these.
void TenantPools::end_refused() {
  // Connections are opened on this loop: what is counted now is true under the lock, too.
  for (Refused& each : refused_) {
    const PoolStatistics now = each.pool->pool.statistics();
    each.is_open = now.open() > 0;
    each.has_opened = now.counters.opened > 0;
  }
  EndingList ending;
  {
    MutexLock lock(mutex_);
    for (Refused& each : refused_) {
      Tenant& tenant = each.pool->tenant;
      if (tenant.pool != each.pool || each.is_open) continue;
      TenantRefusal& now = *each.refusal;
      if (tenant.refusal && !each.has_opened) now.times = tenant.refusal->times + 1;
      const BackoffRule& rule =
          is_about_identity(now.error.sqlstate()) ? kRefusedBackoff : options_.pool.backoff;
      now.until = env_.scheduler.now() + backoff_delay(rule, now.times, env_.random);
      each.before = std::exchange(tenant.refusal, each.refusal);
      each.pool->is_refused = true;
      retire(*each.pool, ending);
    }
  }
  refused_.clear();
  end_all(ending, DiscardReason::closed);
}

// A pool of which nothing is left, and what has to be told of it. Nobody comes to it any more, so
// its counters are read without the lock; a reader lets it live a little longer.
struct TenantPools::Gone {
  explicit Gone(TenantPool& of) : pool(&of), counters(of.pool.statistics().counters) {}
  TenantPool* pool;
  PoolCounters counters;
  std::unique_ptr<TenantPool> owned;  // once it is out of the books
  std::shared_ptr<const TenantRefusal> refusal;
};

void TenantPools::reap() {
  std::vector<Gone> gone = find_gone();
  bool has_changed = false;
  {
    MutexLock lock(mutex_);
    for (Gone& each : gone) has_changed = settle_gone(each) || has_changed;
  }
  if (has_changed) changed_.notify_all();
}

std::vector<TenantPools::Gone> TenantPools::find_gone() const {
  EndingList found;
  {
    MutexLock lock(mutex_);
    for (TenantPool* pool = old_pools_.front(); pool != nullptr; pool = PoolList::next(*pool))
      if (pool->is_gone && pool->pins == 0) found.push_back(*pool);
  }
  std::vector<Gone> gone;
  while (TenantPool* pool = found.pop_front()) gone.emplace_back(*pool);
  return gone;
}

// False: somebody reads it. Nothing is destroyed here: that is done after the lock.
bool TenantPools::settle_gone(Gone& gone) {
  TenantPool& pool = *gone.pool;
  pool.is_awaited = pool.readers > 0;
  if (pool.is_awaited) return false;
  old_pools_.erase(pool);
  gone.owned.reset(&pool);
  const PoolCounters& counters = gone.counters;
  Tenant& tenant = pool.tenant;
  tenant.served += counters.acquired;
  tenant.timeouts += counters.timeouts;
  tenant.opened += counters.opened;
  tenant.waits += counters.waits();
  tenant.wait_time += counters.wait_time();
  if (counters.opened > 0 && !pool.is_refused) gone.refusal = std::move(tenant.refusal);
  add(past_.counters, counters);
  --tenant.old_pools;
  note_cold(tenant);
  return true;
}

bool TenantPools::is_empty() const {
  MutexLock lock(mutex_);
  return is_closed_ && pools_.empty() && old_pools_.empty() && makers_ == 0;
}

void TenantPools::retire_pools() {
  EndingList ending;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    while (TenantPool* pool = pools_.front()) retire(*pool, ending);
  }
  end_all(ending, DiscardReason::closed);
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
  const std::vector<TenantPool*> pools = begin_reading(Which::old);
  for (TenantPool* pool : pools) pool->pool.give_up();
  end_reading(pools);
}

void TenantPools::retire_tenant(std::string_view id) {
  EndingList ending;
  std::shared_ptr<const TenantRefusal> forgotten;
  {
    MutexLock lock(mutex_);
    const auto found = tenants_.find(id);
    if (found != tenants_.end()) {
      forgotten = std::move(found->second.refusal);
      if (found->second.pool != nullptr) retire(*found->second.pool, ending);
    }
  }
  end_all(ending, DiscardReason::closed);
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
  const std::vector<TenantPool*> pools = begin_reading(Which::warm);
  for (TenantPool* pool : pools) pool->pool.retire_all(reason);
  end_reading(pools);
}

// ---- what is known

// How often room was found: it tells when to try again.
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
