// The side that callers see. The loop is in tenant_keeping.cpp.
#include "forebay/tenants/tenant_pools.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/check.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/tenants/preparing_connector.hpp"
#include "forebay/tenants/tenant_name.hpp"

namespace forebay {
namespace {

constexpr std::chrono::seconds kLongestRetryAfter{60};

const TenantOptions& checked(const TenantOptions& options) {
  const std::vector<std::string> wrong = problems(options);
  FOREBAY_CHECK(wrong.empty(), fmt::format("{}", fmt::join(wrong, "; ")));
  return options;
}

void add(TenantStatistics& to, const PoolStatistics& pool) {
  to.open += pool.open();
  to.lent += pool.lent;
  to.waiters += pool.waiters;
  to.served += pool.counters.acquired;
  to.timeouts += pool.counters.timeouts;
  to.opened += pool.counters.opened;
}

}  // namespace

TenantPools::TenantPools(Env env, TenantConnectors& connectors, TenantOptions options,
                         PoolSharing sharing)
    : env_(env),
      connectors_(connectors),
      options_(checked(options)),
      shares_(shares_of(options_.max_connections)),
      attention_(env.scheduler),
      budget_(shares_.tenants, [this] { attention_.notify(); }),
      sharing_(sharing),
      changed_(env.scheduler),
      tasks_(env.scheduler) {
  sharing_.budget = &budget_;
  // One rate over all of them, not one for each.
  if (options_.pool.connect_rate > 0 && sharing.pacer == nullptr && sharing.permits == nullptr) {
    pacer_.emplace(options_.pool.connect_rate, options_.pool.connect_burst);
    sharing_.pacer = &*pacer_;
  }
}

TenantPools::~TenantPools() {
  FOREBAY_CHECK(!is_started_ || is_gone_, "tenants died before close() was done");
  MutexLock lock(mutex_);
  while (cold_.pop_front() != nullptr) {
  }
}

void TenantPools::start() {
  FOREBAY_CHECK(!is_started_, "tenants are started once");
  is_started_ = true;
  start_detached(env_.scheduler, keep());
}

TenantAcquire TenantPools::acquire(std::string_view tenant, Instant deadline,
                                   std::source_location from) {
  return TenantAcquire(*this, env_.scheduler, tenant, deadline, from);
}

Result<PooledConnection> TenantPools::acquire_blocking(std::string_view tenant, Duration timeout,
                                                       std::source_location from) {
  TenantLook found = look(tenant, Holder::thread, from);
  if (found.taken) return Result<PooledConnection>(std::in_place, std::move(*found.taken));
  if (found.error) return failure(std::move(*found.error));
  const Instant since = env_.scheduler.now();
  Result<PooledConnection> got = found.pool->pool.acquire_blocking(timeout, from);
  // Before the pin goes: after the last one, close() may be done and all of this destroyed.
  if (!got) got = failure(explain(tenant, got.error(), env_.scheduler.now() - since));
  unpin(*found.pool);
  return got;
}

// Under one lock: find the tenant, note its use, and take what is ready. A handle keeps its pool
// alive through the pool's own books; who has to wait pins it instead.
TenantLook TenantPools::look(std::string_view id, Holder holder, const std::source_location& from) {
  TenantLook look;
  MutexLock lock(mutex_);
  const auto found = tenants_.find(id);
  TenantPool* pool = found != tenants_.end() ? found->second.pool : nullptr;
  if (pool == nullptr) [[unlikely]] {
    const Result<TenantPool*> made = make_pool(id);
    if (!made) {
      look.error = made.error();
      return look;
    }
    pool = *made;
  }
  pool->tenant.last_used = env_.scheduler.recent_now();
  if (pools_.back() != pool) {
    pools_.erase(*pool);
    pools_.push_back(*pool);
  }
  look.taken = pool->pool.take_ready(holder, from);
  if (look.taken) return look;
  ++pool->pins;
  look.pool = pool;
  return look;
}

Result<TenantPool*> TenantPools::make_pool(std::string_view id) {
  FOREBAY_CHECK(is_started_, "tenants are started before they are used");
  if (is_closed_) return failure(Errc::closed, "the tenants' pools are closed");
  const Result<std::string> database = tenant_database(options_.prefix, id);
  if (!database) return failure(database.error());
  Result<std::unique_ptr<Connector>> connector = connectors_.connector(*database);
  if (!connector) return failure(connector.error());
  Tenant& tenant = tenant_called(id);
  if (options_.creates_missing_databases) {
    connector = std::make_unique<PreparingConnector>(env_.scheduler, connectors_, *database,
                                                     std::move(*connector), tenant.is_there);
  }
  auto pool = std::make_unique<TenantPool>(tenant, env_, std::move(*connector),
                                           tenant_pool_options(options_, *database), sharing_);
  pool->stint_began = env_.scheduler.now();
  pool->pool.launch();
  tenant.pool = pool.get();
  if (tenant.link.is_linked()) cold_.erase(tenant);
  pools_.push_back(*pool);
  if (static_cast<int>(pools_.size()) > most_pools()) attention_.notify();
  return pool.release();
}

Tenant& TenantPools::tenant_called(std::string_view id) {
  const auto found = tenants_.find(id);
  if (found != tenants_.end()) return found->second;
  while (tenants_.size() >= static_cast<std::size_t>(options_.max_known_tenants)) {
    const Tenant* const forgotten = cold_.pop_front();
    if (forgotten == nullptr) break;  // all of them are in use
    tenants_.erase(tenants_.find(*forgotten->id));
  }
  const auto added = tenants_.try_emplace(std::string(id)).first;
  added->second.id = &added->first;
  return added->second;
}

void TenantPools::unpin(TenantPool& pool) {
  MutexLock lock(mutex_);
  --pool.pins;
  // Its end may have waited for us only. It cannot come before the lock is free.
  if (pool.pins == 0 && old_pools_.contains(pool)) attention_.notify();
}

Error TenantPools::explain(std::string_view id, const Error& error, Duration waited) const {
  const ConnectionLimit* const limit = error.connection_limit();
  if (limit == nullptr) {
    return Error(error.code(), fmt::format("tenant {}: {}", id, error.text()), error.sqlstate());
  }
  ConnectionLimit own = *limit;
  own.tenant = id;
  own.retry_after = retry_after(waited);
  const TenantTotals now = totals();
  std::string text = fmt::format(
      "connection limit reached: {}/{} connections in use, cannot serve tenant {} within {}; {} "
      "lent to {} tenants, {} callers wait; {} allowed in all, of which {} are for the system and "
      "{} are kept free; try again in {} s",
      own.in_use, own.max, id, describe(waited), now.lent, now.pools, now.waiters,
      options_.max_connections, shares_.system, shares_.kept_free, own.retry_after.count());
  const std::optional<PoolStatistics> pool = pool_statistics(id);
  if (pool && !pool->last_connect_error.empty())
    text += fmt::format("; last connect failure: {}", pool->last_connect_error);
  return Error(std::move(own), std::move(text));
}

// As long as those who stand in line now will take, at the pace at which room has been found; if
// none was found lately, as long as this caller has waited in vain.
std::chrono::seconds TenantPools::retry_after(Duration waited) const {
  const int line = budget_.in_line(RoomNeed::empty_handed) + budget_.in_line(RoomNeed::waiting);
  MutexLock lock(mutex_);
  const Duration wait = time_per_grant_ == Duration::max()
                            ? waited
                            : std::min<Duration>(kLongestRetryAfter, time_per_grant_ * (line + 1));
  return std::clamp(std::chrono::ceil<std::chrono::seconds>(wait), std::chrono::seconds(1),
                    kLongestRetryAfter);
}

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

TenantStatistics TenantPools::statistics_of(const Tenant& tenant) const {
  TenantStatistics result;
  result.tenant = *tenant.id;
  result.is_warm = tenant.pool != nullptr;
  result.served = tenant.served;
  result.timeouts = tenant.timeouts;
  result.opened = tenant.opened;
  result.evictions = tenant.evictions;
  result.last_used = tenant.last_used;
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
  MutexLock lock(mutex_);
  TenantTotals totals = add_up();
  for (const PoolList* list : {&pools_, &old_pools_}) {
    for (const TenantPool* pool = list->front(); pool != nullptr; pool = PoolList::next(*pool)) {
      const PoolStatistics statistics = pool->pool.statistics();
      add(totals, statistics);
      add(totals.counters, statistics.counters);
    }
  }
  totals.max = budget_.max();  // not the sum of those of the pools
  return totals;
}

std::optional<PoolStatistics> TenantPools::pool_statistics(std::string_view tenant) const {
  MutexLock lock(mutex_);
  const auto found = tenants_.find(tenant);
  if (found == tenants_.end() || found->second.pool == nullptr) return std::nullopt;
  return found->second.pool->pool.statistics();
}

}  // namespace forebay
