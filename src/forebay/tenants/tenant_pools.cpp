// The side that callers see. The loop is in tenant_pools_keeping.cpp, what is known in
// tenant_pools_statistics.cpp.
#include "forebay/tenants/tenant_pools.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/core/capacity.hpp"
#include "forebay/detail/base/check.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/loop_group.hpp"
#include "forebay/pool/pool_control.hpp"
#include "forebay/pool/pool_defaults.hpp"
#include "forebay/tenants/preparing_connector.hpp"

namespace forebay {
namespace {

constexpr std::chrono::seconds kLongestRetryAfter{60};
// For each tenant that comes. More than one, so that a table that had to grow too large, because
// all were in use, becomes small again.
constexpr std::size_t kForgottenAtOnce = 4;
constexpr const char* kClosed =
    "the tenants are closed and served no more; open them anew, or acquire before close()";

TenantOptions checked(TenantOptions options) {
  const OptionProblems wrong = problems(options);
  FOREBAY_CHECK(wrong.empty(), invalid_options(wrong).text());
  options.pool = completed(std::move(options.pool));
  return options;
}

}  // namespace

TenantPools::TenantPools(Env env, TenantConnectors& connectors, TenantOptions options,
                         PoolSharing sharing)
    : env_(env),
      connectors_(connectors),
      options_(checked(std::move(options))),
      shares_(shares_of(options_)),
      names_(options_),
      attention_(env.scheduler),
      budget_(shares_.tenants, [this] { attention_.notify(); }),
      sharing_(sharing),
      changed_(env.scheduler),
      tasks_(env.scheduler) {
  sharing_.budget = &budget_;
  // One rate over all of them, not one for each.
  if (*options_.pool.connect_rate > 0 && sharing.pacer == nullptr && sharing.permits == nullptr) {
    pacer_.emplace(*options_.pool.connect_rate, *options_.pool.connect_burst);
    sharing_.pacer = &*pacer_;
  }
}

TenantPools::~TenantPools() {
  last_calls_.wait();
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

TenantAcquire TenantPools::acquire(std::string_view tenant, Until until,
                                   std::source_location from) {
  return TenantAcquire(*this, here(env_.scheduler), tenant, until, from);
}

Result<PooledConnection> TenantPools::acquire_blocking(std::string_view tenant, Duration timeout,
                                                       std::source_location from) {
  TenantLook found = look(tenant, Holder::thread, from);
  if (found.taken) return Result<PooledConnection>(std::in_place, std::move(*found.taken));
  if (found.error) return failure(std::move(*found.error));
  const Instant since = env_.scheduler.now();
  Result<PooledConnection> got = found.pool->pool.acquire_blocking(timeout, from);
  // Before the pin goes: after the last one, close() may be done and all of this destroyed.
  if (!got) got = failure(explain(*found.pool, got.error(), env_.scheduler.now() - since));
  unpin(*found.pool);
  return got;
}

// One caller on its way to a pool.
struct TenantPools::Visit {
  Visit(std::string_view tenant, Holder caller, const std::source_location& place)
      : id(tenant), holder(caller), from(place) {}

  const std::string_view id;
  const Holder holder;
  const std::source_location& from;
  TenantLook look;
  TenantPool* used = nullptr;   // alive for as long as what is in the look
  bool calls_supplier = false;  // of the pool that it uses
  bool calls_keeper = false;
};

// What a caller who finds no pool takes to the lock, and what it takes away to be destroyed after.
struct TenantPools::Making {
  Making(std::string_view id, const std::string& name, bool may_collide) : database(name) {
    Tenants one;
    one.try_emplace(std::string(id));
    tenant = one.extract(one.begin());
    if (may_collide) claim = DatabaseOwners::entry_for(name);
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  const std::string& database;
  Tenants::node_type tenant;    // should it be unknown
  DatabaseOwners::Entry claim;  // empty: names cannot collide
  // What tenants were forgotten in its place.
  std::array<Tenants::node_type, kForgottenAtOnce> forgotten;
  std::array<DatabaseOwners::Entry, kForgottenAtOnce> released;
  // Why not.
  bool is_late = false;  // all is closed
  std::shared_ptr<const TenantRefusal> refusal;
  std::optional<DatabaseConflict> conflict;
};

TenantLook TenantPools::look(std::string_view id, Holder holder, const std::source_location& from) {
  Visit visit(id, holder, from);
  if (!find_warm(visit)) make_warm(visit);
  if (visit.calls_supplier) PoolControl(visit.used->pool).call_supplier();
  return std::move(visit.look);
}

bool TenantPools::find_warm(Visit& visit) {
  MutexLock lock(mutex_);
  const auto found = tenants_.find(visit.id);
  if (found == tenants_.end() || found->second.pool == nullptr) return false;
  use(*found->second.pool, visit);
  return true;
}

// Under the lock that found it: note its use, and take what is ready. A handle keeps its pool alive
// through the pool's own books; a caller that has to wait pins it instead.
void TenantPools::use(TenantPool& pool, Visit& visit) {
  pool.tenant.last_used = env_.scheduler.recent_now();
  if (pools_.back() != &pool) {
    pools_.erase(pool);
    pools_.push_back(pool);
  }
  visit.used = &pool;
  visit.look.taken =
      PoolControl(pool.pool).take_ready(visit.holder, visit.from, visit.calls_supplier);
  if (visit.look.taken) return;
  ++pool.pins;
  visit.look.pool = &pool;
}

// A pool is made without the lock. Several callers may do so at once; the first one's is used.
void TenantPools::make_warm(Visit& visit) {
  const Result<std::string> database = names_.database(visit.id);
  if (!database) {
    visit.look.error = database.error();
    return;
  }
  Making making(visit.id, *database, names_.may_collide());
  Tenant* const tenant = begin_making(visit.id, making);
  if (tenant == nullptr) {
    visit.look.error = why_not(visit.id, making);
    return;
  }
  Result<std::unique_ptr<TenantPool>> made = make_pool(*tenant, *database);
  end_making(*tenant, made, visit);
}

// Null: why_not() says why. Otherwise the tenant is not forgotten before end_making().
Tenant* TenantPools::begin_making(std::string_view id, Making& making) {
  FOREBAY_CHECK(is_started_, "tenants are started before they are used");
  MutexLock lock(mutex_);
  making.is_late = is_closed_;
  if (is_closed_) return nullptr;
  Tenant& tenant = tenant_called(id, making);
  if (!may_make(tenant, making)) {
    if (!tenant.link.is_linked()) note_cold(tenant);
    return nullptr;
  }
  if (tenant.link.is_linked()) cold_.erase(tenant);
  ++tenant.pools_in_making;
  ++makers_;
  return &tenant;
}

// False: it is known before it is tried that the tenant cannot have a pool now.
bool TenantPools::may_make(Tenant& tenant, Making& making) {
  if (tenant.pool != nullptr) return true;
  if (tenant.refusal && env_.scheduler.now() < tenant.refusal->until) {
    making.refusal = tenant.refusal;
    return false;
  }
  if (!making.claim.empty()) making.conflict = owners_.claim(tenant, making.claim);
  return !making.conflict;
}

// The words are found without the lock: when a server refuses, many ask.
Error TenantPools::why_not(std::string_view id, const Making& making) const {
  if (making.is_late) return Error(Errc::closed, kClosed);
  if (making.refusal) return refused(id, *making.refusal);
  return conflict_error(*making.conflict, id, making.database);
}

Result<std::unique_ptr<TenantPool>> TenantPools::make_pool(Tenant& tenant,
                                                           const std::string& database) {
  Result<std::unique_ptr<Connector>> connector = connectors_.connector(database);
  if (!connector) return failure(connector.error());
  if (options_.creates_missing_databases) {
    connector = std::make_unique<PreparingConnector>(env_.scheduler, connectors_, database,
                                                     std::move(*connector), tenant.is_there);
  }
  auto noting = std::make_unique<NotingConnector>(std::move(*connector));
  auto pool = std::make_unique<TenantPool>(tenant, env_, std::move(noting),
                                           tenant_pool_options(options_, database), sharing_);
  pool->connector->set_on_refused(
      [this, &own = *pool](const Error& error) { note_refused(own, error); });
  pool->stint_began = env_.scheduler.now();
  return pool;
}

void TenantPools::end_making(Tenant& tenant, Result<std::unique_ptr<TenantPool>>& made,
                             Visit& visit) {
  if (!made) visit.look.error = made.error();
  {
    MutexLock lock(mutex_);
    settle(tenant, made, visit);
    --makers_;
    // Once closed, all of this may end when the last of us has left.
    visit.calls_keeper = is_closed_ || static_cast<int>(pools_.size()) > most_pools();
    if (visit.calls_keeper) last_calls_.begin();
  }
  const bool is_late = made && visit.used == nullptr;
  if (is_late) visit.look.error = Error(Errc::closed, kClosed);
  if (made) made->reset();  // not used: it knows the budget, which may end with the last call
  if (!visit.calls_keeper) return;
  attention_.notify();
  last_calls_.end();
}

// Started under the lock: nobody may find, or retire, a pool that does not run.
void TenantPools::settle(Tenant& tenant, Result<std::unique_ptr<TenantPool>>& made, Visit& visit) {
  --tenant.pools_in_making;
  const bool is_late = tenant.pool == nullptr && is_closed_;
  if (made && !is_late) {
    if (tenant.pool == nullptr) {
      tenant.pool = made->release();
      tenant.pool->pool.launch();
      pools_.push_back(*tenant.pool);
    }
    use(*tenant.pool, visit);
  }
  note_cold(tenant);
}

void TenantPools::note_cold(Tenant& tenant) {
  const bool is_cold =
      tenant.pool == nullptr && tenant.old_pools == 0 && tenant.pools_in_making == 0;
  if (is_cold) cold_.push_back(tenant);
}

Tenant& TenantPools::tenant_called(std::string_view id, Making& making) {
  const auto found = tenants_.find(id);
  if (found != tenants_.end()) return found->second;
  const auto most = static_cast<std::size_t>(options_.max_known_tenants);
  for (std::size_t i = 0; i < kForgottenAtOnce && tenants_.size() >= most; ++i) {
    Tenant* const forgotten = cold_.pop_front();
    if (forgotten == nullptr) break;  // all of them are in use
    making.released[i] = owners_.release(*forgotten);
    making.forgotten[i] = tenants_.extract(tenants_.find(*forgotten->id));
  }
  const auto added = tenants_.insert(std::move(making.tenant)).position;
  added->second.id = &added->first;
  return added->second;
}

void TenantPools::unpin(TenantPool& pool) {
  {
    MutexLock lock(mutex_);
    --pool.pins;
    const bool is_awaited = pool.pins == 0 && old_pools_.contains(pool);
    if (!is_awaited) return;
    last_calls_.begin();  // its end may have waited for us only, and that of all of this for it
  }
  attention_.notify();
  last_calls_.end();
}

Error TenantPools::explain(const TenantPool& pool, const Error& error, Duration waited) const {
  const std::string& id = *pool.tenant.id;
  if (error.code() == Errc::closed || error.code() == Errc::refused) {
    const std::shared_ptr<const TenantRefusal> refusal = refusal_of(pool);
    if (refusal) return refused(id, *refusal);
  }
  const ConnectionLimit* const limit = error.connection_limit();
  if (limit == nullptr) return error.with_text(fmt::format("tenant {}: {}", id, error.text()));
  ConnectionLimit own = *limit;
  own.tenant = id;
  own.retry_after = retry_after(waited);
  const TenantTotals now = brief_totals();
  std::string text = fmt::format(
      "connection limit reached: {}/{} connections in use, cannot serve tenant {} within {}; {} "
      "tenants are in use, {} wait for room; {} allowed in all, of which {} are for the system and "
      "{} are kept free; try again in {}",
      own.in_use, own.max, id, readable_time(waited), now.pools, now.in_line,
      options_.max_connections, shares_.system, shares_.kept_free, duration_text(own.retry_after));
  const std::string failed = last_connect_error(pool);
  if (!failed.empty()) text += fmt::format("; last connect failure: {}", failed);
  return Error(std::move(own), std::move(text));
}

std::string TenantPools::last_connect_error(const TenantPool& pool) const {
  PoolStatistics now = pool.pool.statistics();
  if (!now.last_connect_error.empty() || now.counters.opened > 0) return now.last_connect_error;
  std::shared_ptr<const TenantRefusal> refusal;
  {
    MutexLock lock(mutex_);
    refusal = pool.tenant.refusal;
  }
  return refusal ? refusal->error.text() : "";
}

// Null: the pool has not ended for one.
std::shared_ptr<const TenantRefusal> TenantPools::refusal_of(const TenantPool& pool) const {
  MutexLock lock(mutex_);
  return pool.is_refused ? pool.tenant.refusal : nullptr;
}

// The server's own words, and its own code.
Error TenantPools::refused(std::string_view tenant, const TenantRefusal& refusal) const {
  const Error& said = refusal.error;
  const Duration pause = refusal.until - env_.scheduler.now();
  const std::string again =
      pause > Duration::zero() ? fmt::format("in {}", readable_time(pause)) : "at the next call";
  return said.with_text(
      fmt::format("tenant {}: {}; the server is asked again {}", tenant, said.text(), again));
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

}  // namespace forebay
