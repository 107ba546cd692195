// TenantPools: connections to thousands of databases under one budget.
//
// Each tenant in use has a small pool of its own. Every connection of every pool holds an approval
// of one budget, from before it is opened until the server has let go of it, so their sum never
// exceeds it. When a tenant needs room that is not there, the least recently used idle pool is
// closed; if none is idle, tenants above their share give way (room_plan.hpp). Tenants in need are
// served first in, first out.
//
// Always: a pool lives while somebody holds one of its connections, waits for one, or is about to.
// What is remembered of a tenant without a pool is small and bounded.
//
// acquire(), acquire_blocking() and the statistics may be called from any thread; start() from any,
// once; the tasks belong to the scheduler. The connectors and the Env outlive it.
#pragma once

#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forebay/core/connect_pacer.hpp"
#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/last_calls.hpp"
#include "forebay/env/signal.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/pool/budget.hpp"
#include "forebay/tenants/database_owners.hpp"
#include "forebay/tenants/room_plan.hpp"
#include "forebay/tenants/tenant_acquire.hpp"
#include "forebay/tenants/tenant_connectors.hpp"
#include "forebay/tenants/tenant_name.hpp"
#include "forebay/tenants/tenant_options.hpp"
#include "forebay/tenants/tenant_statistics.hpp"

namespace forebay {

class TenantPools {
 public:
  // REQUIRES: problems(options) is empty. A budget in `sharing` is not used.
  TenantPools(Env env, TenantConnectors& connectors, TenantOptions options,
              PoolSharing sharing = {});
  TenantPools(const TenantPools&) = delete;
  TenantPools& operator=(const TenantPools&) = delete;
  ~TenantPools();  // REQUIRES: never started, or close() has said true

  void start();

  // A connection to the tenant's database, which its handle gives back. Errors: limit_reached with
  // a ConnectionLimit (by the deadline there was no room), timed_out (the tenant's own connections
  // were all in use, or could not be opened: the text says why), refused (the server said no for
  // good, in its own words: told at once), cancelled, invalid (the id, or what it is called),
  // closed.
  TenantAcquire acquire(std::string_view tenant, Until until,
                        std::source_location from = std::source_location::current());
  // Never on the scheduler's own thread.
  Result<PooledConnection> acquire_blocking(
      std::string_view tenant, Duration timeout,
      std::source_location from = std::source_location::current());

  // Everything that is open or opening now is closed, what is lent when it comes back, and replaced
  // where it is wanted.
  void retire_all(DiscardReason reason);
  // Closes the tenant's connections, those in use when they come back. True: they are gone. False:
  // the deadline passed. Later callers get new ones, and a server that refused is asked
  // again.
  Task<bool> close_tenant(std::string tenant, Instant deadline);
  // The same for all of them, and nobody is served any more.
  Task<bool> close(Instant deadline);
  // As Pool::give_up(), for those that are closing.
  void give_up();

  // All of it, but for the system's pool, which is not ours.
  TenancyStatistics statistics() const;
  // Nothing: unknown, or forgotten.
  std::optional<TenantStatistics> statistics(std::string_view tenant) const;
  // Of its pool, if it has one.
  std::optional<PoolStatistics> pool_statistics(std::string_view tenant) const;
  // Of those with a pool, least recently used first.
  std::vector<TenantStatistics> warm_statistics() const;
  // Of all that are known: first those with a pool, as above, then the others.
  std::vector<TenantStatistics> all_statistics() const;
  // A connection that this very thread took or used last: see Pool.
  std::optional<LeakReport> lent_to_this_thread() const;
  TenantTotals totals() const;
  // The same without what has to be asked of every pool: connections by state, and their counters.
  TenantTotals brief_totals() const;
  const Budget& budget() const { return budget_; }
  const TenantOptions& options() const { return options_; }
  void audit() const;  // stops the process if the books do not add up

 private:
  friend class TenantAcquire;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>()(id); }
  };
  using Tenants = std::unordered_map<std::string, Tenant, Hash, std::equal_to<>>;
  using PoolList = IntrusiveList<TenantPool, &TenantPool::link>;
  using EndingList = IntrusiveList<TenantPool, &TenantPool::ending_link>;
  struct Visit;
  struct Making;

  // A refusal that was heard and has not been looked at.
  struct Refused {
    Refused(TenantPool& by, const Error& error)
        : pool(&by), refusal(std::make_shared<TenantRefusal>(error)) {}
    TenantPool* pool;
    std::shared_ptr<TenantRefusal> refusal;
    std::shared_ptr<const TenantRefusal> before;  // whose place it took
    bool is_open = false;                         // the pool has connections
    bool has_opened = false;                      // or had
  };

  // Callers.
  TenantLook look(std::string_view id, Holder holder, const std::source_location& from);
  bool find_warm(Visit& visit);
  void make_warm(Visit& visit);
  Tenant* begin_making(std::string_view id, Making& making);
  bool may_make(Tenant& tenant, Making& making) FOREBAY_REQUIRES(mutex_);
  Error why_not(std::string_view id, const Making& making) const;
  void end_making(Tenant& tenant, Result<std::unique_ptr<TenantPool>>& made, Visit& visit);
  void settle(Tenant& tenant, Result<std::unique_ptr<TenantPool>>& made, Visit& visit)
      FOREBAY_REQUIRES(mutex_);
  Result<std::unique_ptr<TenantPool>> make_pool(Tenant& tenant, const std::string& database);
  void use(TenantPool& pool, Visit& visit) FOREBAY_REQUIRES(mutex_);
  Tenant& tenant_called(std::string_view id, Making& making) FOREBAY_REQUIRES(mutex_);
  void note_cold(Tenant& tenant) FOREBAY_REQUIRES(mutex_);
  void unpin(TenantPool& pool);
  Error explain(const TenantPool& pool, const Error& error, Duration waited) const;
  std::string last_connect_error(const TenantPool& pool) const;
  std::shared_ptr<const TenantRefusal> refusal_of(const TenantPool& pool) const;
  Error refused(std::string_view tenant, const TenantRefusal& refusal) const;
  std::chrono::seconds retry_after(Duration waited) const;

  // The loop that makes room and takes pools apart.
  struct Gone;
  Task<void> keep();
  void note_refused(TenantPool& pool, const Error& error);
  void end_refused();
  Instant make_room();
  struct Look;
  bool look_at_pools(std::vector<Look>& looks);
  RoomPlan plan_room_now(std::vector<Look>& looks);
  bool carry_out(const RoomPlan& plan, const std::vector<Look>& looks);
  bool evict(const RoomPlan& plan, const std::vector<Look>& looks, EndingList& ending);
  static std::vector<TenantEviction> evictions_of(const EndingList& ending);
  int in_line() const;
  int room_coming() const;
  void drop_empty_pools();
  void retire(TenantPool& pool, EndingList& ending) FOREBAY_REQUIRES(mutex_);
  void end_all(EndingList& ending, DiscardReason reason);
  Task<void> close_and_wait(TenantPool& pool);
  void reap();
  std::vector<Gone> find_gone() const;
  bool settle_gone(Gone& gone) FOREBAY_REQUIRES(mutex_);
  void measure_pace();
  Duration pause_between_looks() const;
  // Pools without connections are kept for a while, but not without end.
  int most_pools() const { return 2 * shares_.tenants + 16; }
  bool is_empty() const;
  void retire_tenant(std::string_view id);
  bool has_old_pools(std::string_view id) const;
  void retire_pools();
  void add_warm(std::vector<TenantStatistics>& all) const FOREBAY_REQUIRES(mutex_);
  TenantStatistics remembered(const Tenant& tenant) const FOREBAY_REQUIRES(mutex_);
  using NowByTenant = std::unordered_map<const Tenant*, TenantStatistics>;
  std::vector<TenantStatistics> add_remembered(const std::vector<TenantPool*>& pools,
                                               const NowByTenant& now) const;
  TenantStatistics statistics_of(const Tenant& tenant) const FOREBAY_REQUIRES(mutex_);
  TenantTotals add_up() const FOREBAY_REQUIRES(mutex_);
  // So that pools can be asked without the lock: they are not destroyed meanwhile. If there is
  // something to fill in, also the sum of those that are gone.
  enum class Which : std::uint8_t { warm, old, all };
  std::vector<TenantPool*> begin_reading(Which which, TenantTotals* gone = nullptr) const;
  void end_reading(const std::vector<TenantPool*>& pools) const;

  const Env env_;
  TenantConnectors& connectors_;
  const TenantOptions options_;
  const TenantShares shares_;
  const TenantNames names_;
  mutable Signal attention_;  // also of those who only read, when a pool waits for them to end
  mutable LastCalls last_calls_;
  Budget budget_;
  std::optional<ConnectPacer> pacer_;
  PoolSharing sharing_;
  Condition changed_;  // a pool is gone
  TaskGroup tasks_;
  bool is_started_ = false;
  bool is_gone_ = false;

  mutable Mutex mutex_;
  Tenants tenants_ FOREBAY_GUARDED_BY(mutex_);
  DatabaseOwners owners_ FOREBAY_GUARDED_BY(mutex_);
  PoolList pools_ FOREBAY_GUARDED_BY(mutex_);  // least recently used first
  PoolList old_pools_ FOREBAY_GUARDED_BY(mutex_);
  IntrusiveList<Tenant, &Tenant::link> cold_ FOREBAY_GUARDED_BY(mutex_);
  TenantTotals past_ FOREBAY_GUARDED_BY(mutex_);  // of pools that are gone
  Duration time_per_grant_ FOREBAY_GUARDED_BY(mutex_) = Duration::max();
  int makers_ FOREBAY_GUARDED_BY(mutex_) = 0;  // callers who are making a pool
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::vector<Refused> refused_;  // what to look at; the scheduler's
  Instant pace_from_{};           // the same
  std::uint64_t grants_before_ = 0;
};

}  // namespace forebay
