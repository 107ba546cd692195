#include "forebay/sim/life.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/sim/scenario/service_pool.hpp"
#include "forebay/sim/start_time.hpp"
#include "forebay/sim/tampering.hpp"

namespace forebay::sim {
namespace {

// What a pool gets to end at a time; it is asked again until it is done.
constexpr Duration kCloseStep = std::chrono::seconds(60);

std::uint64_t seed_of(const Scenario& scenario, int process, int number) {
  SeededRandom random(scenario.seed * 0x9e3779b97f4a7c15u +
                      static_cast<std::uint64_t>(process) * 1024 +
                      static_cast<std::uint64_t>(number));
  return random.next();
}

}  // namespace

Life::Life(Surroundings around, const ServiceSpec& spec, int process, int number, Duration skew,
           WorkCounts& work, LatencyHistogram& waits)
    : around_(around),
      spec_(spec),
      process_(process),
      random_(seed_of(around.scenario, process, number)),
      wall_clock_(scheduler_, kStart),
      link_(scheduler_, around.database, process),
      connector_(link_),
      store_(around.store.make_link(link_, env_)) {
  wall_clock_.set_skew(skew);
  scheduler_.set_label(process);
  if (around_.scenario.seed % 2 == 0) scheduler_.set_tie_seed(random_.next());
  around_.timeline.join(scheduler_);
  if (around_.store.has_cap()) leases_.emplace(env_, *store_, lease_options(number));
  if (around_.scenario.coordination.is_enabled) permits_.emplace(env_, *store_, rate_options());
  std::vector<WatchedPool> pools = make_pools();
  std::vector<LatencyHistogram*> histograms = {&waits, &around_.waits};
  workload_.emplace(env_, spec_.workload, std::move(pools), link_, work, std::move(histograms),
                    around_.trace, around_.tampering.door(scheduler_));
}

Life::~Life() {
  FOREBAY_CHECK(has_ended_, "a simulated process went away before it had ended");
  if (!link_.is_dead()) around_.timeline.leave(scheduler_);
}

LeaseOptions Life::lease_options(int number) {
  const CoordinationSpec& coordination = around_.scenario.coordination;
  LeaseOptions options;
  options.lease_id = fmt::format("{}/{}", spec_.name, number);
  options.service = spec_.name;
  options.limit = around_.store.limit();
  options.ttl = coordination.lease_ttl;
  options.fence_before = fence_before(coordination);
  options.request_timeout = coordination.request_timeout;
  options.on_absence = coordination.on_absence;
  options.on_loss = coordination.on_lease_loss;
  options.on_lost = [this] {
    for (const auto& pool : pools_) pool->retire_all(DiscardReason::lease_lost);
  };
  return options;
}

RateOptions Life::rate_options() {
  const CoordinationSpec& coordination = around_.scenario.coordination;
  RateOptions options;
  options.connects_per_second = around_.scenario.database.connects_per_second;
  options.request_timeout = coordination.request_timeout;
  options.on_absence = coordination.on_absence;
  options.is_wall_clock_followed = coordination.rate_mode == RateMode::window;
  options.known_processes = [this] { return leases_ ? leases_->known_processes() : 0; };
  return options;
}

// One pool, or one for each tenant under one budget. Without coordination each process keeps the
// rate as if it were alone.
std::vector<WatchedPool> Life::make_pools() {
  const DatabaseSpec& database = around_.scenario.database;
  PoolOptions options = pool_options(spec_, database);
  if (!permits_) {
    options.connect_rate = database.connects_per_second;
    options.connect_burst = database.connect_burst;
  }
  const int tenants = spec_.workload.tenants;
  if (tenants > 0) budget_.emplace(options.size.max);
  if (tenants > 0) options = tenant_pool_options(spec_, database);
  if (around_.store.has_cap() && around_.scenario.coordination.on_lease_loss == LeaseLoss::fence) {
    // What is retired at the fence is gone before the lease can end.
    const Duration most = fence_before(around_.scenario.coordination) / 2;
    options.connect_timeout = std::min(options.connect_timeout, most);
    options.close_timeout = std::min(options.close_timeout, most);
  }

  Tampering& tampering = around_.tampering;
  PoolSharing sharing;
  sharing.budget = budget_ ? &*budget_ : nullptr;
  sharing.leases = tampering.leases(leases_ ? &*leases_ : nullptr);
  sharing.permits = tampering.permits(permits_ ? &*permits_ : nullptr, scheduler_);
  Connector& connector = tampering.connector(connector_, link_);
  std::vector<WatchedPool> watched;
  for (int i = 0; i < std::max(1, tenants); ++i) {
    pools_.push_back(std::make_unique<Pool>(env_, connector, tampering.options(options), sharing));
    watches_.push_back(std::make_unique<CallerWatch>(scheduler_, *pools_.back(), spec_,
                                                     database.cut_after, process_, around_.book));
    watched.push_back(WatchedPool{*pools_.back(), *watches_.back()});
  }
  return watched;
}

void Life::start() {
  if (leases_) leases_->start();
  start_detached(scheduler_, run());
}

// Callers come when the pools have been filled, or have had the time for it.
Task<void> Life::run() {
  for (const auto& pool : pools_) co_await pool->start();
  if (!is_ending_) workload_->start();
}

void Life::begin_end() {
  if (is_ending_) return;
  is_ending_ = true;
  start_detached(scheduler_, end());
}

Task<void> Life::end() {
  workload_->stop();
  for (const auto& pool : pools_) {
    bool is_gone = false;
    while (!is_gone) {
      const Instant deadline = scheduler_.now() + kCloseStep;
      is_gone = co_await pool->close(deadline);
    }
  }
  co_await workload_->wait_gone();
  if (permits_) co_await permits_->close();
  if (leases_) {
    const Instant deadline = scheduler_.now() + kCloseStep;
    co_await leases_->close(deadline);
  }
  has_ended_ = true;
}

// From here on it has a clock of its own and reaches nobody. It is ended as any other, so that
// nothing of it is left; nobody looks at how.
void Life::die() {
  around_.timeline.leave(scheduler_);
  link_.die();
  store_->die();
  begin_end();
  scheduler_.run();
  FOREBAY_CHECK(has_ended_, "a simulated process could not be taken apart");
}

void Life::set_link(bool is_store_cut, bool is_database_cut) {
  store_->set_cut(is_store_cut);
  link_.set_cut(is_database_cut);
}

PoolGauges Life::gauges() const {
  PoolGauges sum = pools_.front()->gauges();
  for (std::size_t i = 1; i < pools_.size(); ++i) {
    const PoolGauges more = pools_[i]->gauges();
    sum.target_ready += more.target_ready;
    sum.ready += more.ready;
    sum.lent += more.lent;
    sum.cleaning += more.cleaning;
    sum.opening += more.opening;
    sum.closing += more.closing;
    sum.approved += more.approved;
    sum.waiters += more.waiters;
  }
  if (budget_) sum.max = budget_->max();
  return sum;
}

PoolCounters Life::counters() const {
  PoolCounters sum;
  for (const auto& pool : pools_) add(sum, pool->statistics().counters);
  return sum;
}

// Of many tenants one at a time: each has its turn long before a sample is over.
void Life::check_deadlines() {
  watches_[next_watch_]->check_deadlines();
  next_watch_ = next_watch_ + 1 < watches_.size() ? next_watch_ + 1 : 0;
}

PoolGauges Life::quick_gauges() const {
  if (!budget_) return pools_.front()->gauges();
  PoolGauges gauges;
  gauges.max = budget_->max();
  gauges.approved = budget_->in_use();
  return gauges;
}

void Life::audit() const {
  for (const auto& pool : pools_) pool->audit();
}

std::string Life::text() const {
  PoolStatistics statistics;
  static_cast<PoolGauges&>(statistics) = gauges();
  std::string text = describe(statistics);
  if (leases_)
    text += fmt::format("; leases held {}, in use {}", leases_->held(), leases_->in_use());
  return text;
}

}  // namespace forebay::sim
