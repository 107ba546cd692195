#include "forebay/sim/life.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/coordination/start_delay.hpp"
#include "forebay/detail/base/check.hpp"
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

// Each tenant has a connector of its own, as pools close theirs when they end.
class Life::TenantDatabases final : public TenantConnectors {
 public:
  TenantDatabases(Link& link, Tampering& tampering) : link_(link), tampering_(tampering) {}

  Result<std::unique_ptr<Connector>> connector(const std::string&) override {
    return std::make_unique<OneDatabase>(link_, tampering_);
  }
  Task<Result<bool>> make_database(std::string, Instant) override { co_return false; }

 private:
  class OneDatabase final : public Connector {
   public:
    OneDatabase(Link& link, Tampering& tampering)
        : honest_(link), used_(tampering.connector(honest_, link)) {}
    Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                      Instant deadline) override {
      return used_.connect(std::move(password), deadline);
    }
    void close() override { used_.close(); }

   private:
    SimConnector honest_;
    Connector& used_;
  };

  Link& link_;
  Tampering& tampering_;
};

Life::Life(WorldParts parts, const ServiceSpec& spec, int process, int number, Duration skew,
           WorkCounts& work, LatencyHistogram& waits)
    : parts_(parts),
      spec_(spec),
      process_(process),
      loops_(spec.loops),
      random_(seed_of(parts.scenario, process, number)),
      wall_clock_(scheduler_, kStart),
      link_(loops_, parts.database, process),
      connector_(link_),
      store_(parts.store.make_link(link_, env_)),
      starting_(scheduler_) {
  wall_clock_.set_skew(skew);
  loops_.set_label(process);
  if (parts_.scenario.seed % 2 == 0) loops_.set_tie_seeds(random_);
  loops_.join(parts_.timeline);
  if (parts_.scenario.coordination.is_enabled) join_cluster(number);
  std::vector<LatencyHistogram*> histograms = {&waits, &parts_.waits};
  if (is_proxy(spec_)) {
    make_proxy(histograms);
  } else if (spec_.tenants.count > 0) {
    make_tenants();
  } else {
    make_pool();
  }
  std::vector<WatchedPlace> places;
  places.reserve(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i)
    places.push_back(WatchedPlace{*places_[i], *watches_[i]});
  workload_.emplace(env_, loops_, spec_, std::move(places), link_, work, std::move(histograms),
                    parts_.trace);
}

Life::~Life() {
  FOREBAY_CHECK(has_ended_, "a simulated process went away before it had ended");
  if (!link_.is_dead()) loops_.leave(parts_.timeline);
}

// A cap is shared if there is one, the rate always.
void Life::join_cluster(int number) {
  ClusterOptions options = cluster_options(parts_.scenario);
  options.service = spec_.name;
  options.member = fmt::format("{}/{}", spec_.name, number);
  MemberStores stores;
  if (parts_.store.has_cap()) stores.leases = store_.get();
  stores.rate = store_.get();
  member_.emplace(env_, stores, parts_.tampering.cluster(std::move(options)));
}

// Alone, each process keeps the whole rate.
PoolOptions Life::own_pool_options() const {
  const DatabaseSpec& database = parts_.scenario.database;
  PoolOptions options = pool_options(spec_, database);
  if (!member_) {
    options.connect_rate = database.connects_per_second;
    options.connect_burst = database.connect_burst;
  }
  return parts_.tampering.options(options);
}

PoolSharing Life::sharing() {
  PoolSharing sharing = member_ ? member_->sharing() : PoolSharing();
  sharing.leases = parts_.tampering.leases(sharing.leases);
  sharing.permits = parts_.tampering.permits(sharing.permits, scheduler_);
  return sharing;
}

void Life::make_pool() {
  Connector& connector = parts_.tampering.connector(connector_, link_);
  pool_.emplace(env_, connector, own_pool_options(), sharing());
  the_pool_ = &*pool_;
  add_place(std::make_unique<PoolPlace>(*pool_, parts_.tampering.door(scheduler_)));
}

void Life::make_tenants() {
  databases_ = std::make_unique<TenantDatabases>(link_, parts_.tampering);
  TenantOptions options = tenant_options(spec_, parts_.scenario.database);
  options.pool = own_pool_options();
  tenants_.emplace(env_, *databases_, parts_.tampering.tenants(options), sharing());
  for (int number = 1; number <= spec_.tenants.count; ++number)
    add_place(std::make_unique<TenantPlace>(*tenants_, fmt::format("t{}", number)));
}

void Life::make_proxy(std::vector<LatencyHistogram*> waits) {
  FOREBAY_CHECK(parts_.wires != nullptr, "a world with proxies speaks the protocol");
  SimProxyParts parts{
      env_,      *parts_.wires,    spec_,           parts_.scenario.database, own_pool_options(),
      sharing(), parts_.tampering, std::move(waits)};
  proxy_.emplace(std::move(parts));
  the_pool_ = &proxy_->pool();
  add_place(std::make_unique<PoolPlace>(proxy_->pool(), nullptr));
  proxy_->tell(watches_.back().get());
}

void Life::add_place(std::unique_ptr<CallerPlace> place) {
  places_.push_back(std::move(place));
  watches_.push_back(std::make_unique<CallerWatch>(
      loops_, *places_.back(), spec_, parts_.scenario.database.cut_after, process_, parts_.book));
}

void Life::start() {
  if (member_) member_->start();
  starting_.spawn(run());
}

// As a ConfiguredPool is opened: without a shared rate it is delayed before it connects; the first
// permit of a shared rate is delayed already. Callers and clients come when the pools have been
// filled, or have had the time for it.
Task<void> Life::run() {
  if (!member_ && the_pool_ != nullptr)
    co_await delay_start(env_, parts_.scenario.coordination.stagger);
  if (is_ending_) co_return;
  if (the_pool_ != nullptr) co_await the_pool_->start();
  if (is_ending_) co_return;
  if (tenants_) tenants_->start();
  workload_->start();
  if (!proxy_) co_return;
  proxy_->listen();
  clients_->set_served(true);
  clients_->start();
}

void Life::begin_end() {
  if (is_ending_) return;
  is_ending_ = true;
  start_detached(scheduler_, end());
}

Task<void> Life::end() {
  workload_->stop();
  if (proxy_) co_await proxy_->close();
  bool is_gone = proxy_.has_value();
  while (!is_gone) {
    const Instant deadline = scheduler_.now() + kCloseStep;
    if (pool_) is_gone = co_await pool_->close(deadline);
    if (tenants_) is_gone = co_await tenants_->close(deadline);
  }
  co_await workload_->wait_gone();
  co_await starting_.join();
  const Instant deadline = scheduler_.now() + kCloseStep;
  if (member_) co_await member_->close(deadline);
  has_ended_ = true;
}

// From here on it has a clock of its own and reaches nobody. It is ended as any other, so that
// nothing of it is left; nobody looks at how.
void Life::die() {
  if (proxy_) proxy_->die();
  loops_.leave(parts_.timeline);
  link_.die();
  store_->die();
  begin_end();
  loops_.run();
  FOREBAY_CHECK(has_ended_, "a simulated process could not be taken apart");
}

void Life::set_link(bool is_store_cut, bool is_database_cut) {
  store_->set_cut(is_store_cut);
  link_.set_cut(is_database_cut);
  if (proxy_) proxy_->set_cut(is_database_cut);
}

void Life::set_frozen(bool is_frozen) {
  loops_.set_frozen(parts_.timeline, is_frozen);
  for (const auto& watch : watches_) watch->set_frozen(is_frozen);
  if (proxy_) parts_.wires->server().excuse(process_);
}

PoolGauges Life::gauges() const {
  if (the_pool_ != nullptr) return the_pool_->gauges();
  const TenantTotals totals = tenants_->totals();
  return static_cast<const PoolGauges&>(totals);
}

PoolCounters Life::counters() const {
  return the_pool_ != nullptr ? the_pool_->statistics().counters : tenants_->totals().counters;
}

std::string Life::starved_tenant(Duration patience) const {
  for (const auto& watch : watches_) {
    if (watch->unserved_for() < patience) continue;
    const PoolGauges gauges = watch->place().gauges();
    if (gauges.approved == gauges.closing)
      return static_cast<const TenantPlace&>(watch->place()).tenant();
  }
  return {};
}

PoolGauges Life::quick_gauges() const {
  if (the_pool_ != nullptr) return the_pool_->gauges();
  PoolGauges gauges;
  gauges.max = tenants_->budget().max();
  gauges.approved = tenants_->budget().in_use();
  return gauges;
}

void Life::audit() const {
  if (the_pool_ != nullptr) the_pool_->audit();
  if (tenants_) tenants_->audit();
}

std::string Life::text() const {
  std::string text = describe(gauges());
  const MemberStatistics member = member_ ? member_->statistics() : MemberStatistics();
  if (member.has_leases)
    text += fmt::format("; leases held {}, in use {}", member.held, member.in_use);
  return text;
}

}  // namespace forebay::sim
