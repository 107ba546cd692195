#include "forebay/sim/scenario/scenario_keys.hpp"

#include <array>
#include <utility>

#include "forebay/sim/scenario/fault_keys.hpp"
#include "forebay/sim/scenario/scenario_limits.hpp"

namespace forebay::sim {
namespace {

using yaml::Choice;
using yaml::Field;
using yaml::Key;
using yaml::names;
using yaml::read_map;
using yaml::Zero;

constexpr auto kSupplies = std::to_array<Choice<Supply>>(
    {{"reservoir", Supply::reservoir}, {"standard", Supply::standard}});
constexpr auto kTakeOrders = std::to_array<Choice<TakeOrder>>(
    {{"newest", TakeOrder::newest_first}, {"oldest", TakeOrder::oldest_first}});
constexpr auto kLeaseLosses =
    std::to_array<Choice<LeaseLoss>>({{"keep", LeaseLoss::keep}, {"fence", LeaseLoss::fence}});
constexpr auto kStoreAbsences = std::to_array<Choice<StoreAbsence>>(
    {{"hold", StoreAbsence::hold}, {"local", StoreAbsence::local}});

constexpr auto kStoreKinds = std::to_array<Choice<StoreKind>>(
    {{"memory", StoreKind::memory}, {"dynamodb", StoreKind::dynamodb}});
constexpr auto kRateModes =
    std::to_array<Choice<RateMode>>({{"bucket", RateMode::bucket}, {"window", RateMode::window}});

using From = const Field&;
using Workload = WorkloadSpec;
constexpr auto kWorkloadKeys = std::to_array<Key<Workload>>({
    {"enabled", [](From from, Workload& to) { from.read(to.is_enabled); }},
    {"maxInUse",
     [](From from, Workload& to) { from.read_whole(to.max_in_use, 0, kMostConnections); }},
    {"arrivalsPerSecond",
     [](From from, Workload& to) {
       from.read_number(to.arrivals_per_second, 0, kMostConnectsPerSecond);
     }},
    {"holdTime", [](From from, Workload& to) { from.read_time(to.hold_time, Zero::allowed); }},
    {"holdJitter", [](From from, Workload& to) { from.read_time(to.hold_jitter, Zero::allowed); }},
    {"spawnEvery", [](From from, Workload& to) { from.read_time(to.spawn_every, Zero::refused); }},
    {"arrivalBurst",
     [](From from, Workload& to) { from.read_whole(to.arrival_burst, 1, kMostConnections); }},
    {"maxWait", [](From from, Workload& to) { from.read_time(to.max_wait, Zero::allowed); }},
    {"startAfter", [](From from, Workload& to) { from.read_time(to.start_after, Zero::allowed); }},
    {"discardFraction",
     [](From from, Workload& to) { from.read_fraction(to.discard_fraction, Zero::allowed); }},
    {"slowFraction",
     [](From from, Workload& to) { from.read_fraction(to.slow_fraction, Zero::allowed); }},
    {"slowTime", [](From from, Workload& to) { from.read_time(to.slow_time, Zero::refused); }},
    {"statementTimeout",
     [](From from, Workload& to) { from.read_time_or_off(to.statement_timeout); }},
});

using Tenants = TenantsSpec;
constexpr auto kTenantsKeys = std::to_array<Key<Tenants>>({
    {"count", [](From from, Tenants& to) { from.read_whole(to.count, 1, kMostTenants); }},
    {"maxConnections",
     [](From from, Tenants& to) { from.read_whole(to.max_connections, 20, kMostConnections); }},
    {"perTenant",
     [](From from, Tenants& to) { from.read_whole(to.per_tenant, 1, kMostConnections); }},
    {"skew", [](From from, Tenants& to) { from.read_number(to.skew, 0, kMostSkew); }},
    {"stint", [](From from, Tenants& to) { from.read_time(to.stint, Zero::refused); }},
});

constexpr auto kPoolings = std::to_array<Choice<proxy::Pooling>>(
    {{"transaction", proxy::Pooling::transaction}, {"session", proxy::Pooling::session}});
constexpr auto kOnSessionStates =
    std::to_array<Choice<proxy::OnSessionState>>({{"pin", proxy::OnSessionState::pin},
                                                  {"refuse", proxy::OnSessionState::refuse},
                                                  {"allow", proxy::OnSessionState::allow}});
constexpr auto kWorks = std::to_array<Choice<ClientWork>>(
    {{"transactions", ClientWork::transactions}, {"anything", ClientWork::anything}});

using Proxy = ProxySpec;
constexpr auto kProxyKeys = std::to_array<Key<Proxy>>({
    {"clients", [](From from, Proxy& to) { from.read_whole(to.clients, 1, kMostClients); }},
    {"pooling", [](From from, Proxy& to) { from.read_choice(to.pooling, kPoolings); }},
    {"onSessionState",
     [](From from, Proxy& to) { from.read_choice(to.on_session_state, kOnSessionStates); }},
    {"mostStatements",
     [](From from, Proxy& to) { from.read_whole(to.most_statements, 1, kMostStatements); }},
    {"queryWait", [](From from, Proxy& to) { from.read_time(to.query_wait, Zero::refused); }},
    {"queryLimit", [](From from, Proxy& to) { from.read_time_or_off(to.query_limit); }},
    {"idleLimit", [](From from, Proxy& to) { from.read_time_or_off(to.idle_limit); }},
    {"readLimit", [](From from, Proxy& to) { from.read_time_or_off(to.read_limit); }},
    {"work", [](From from, Proxy& to) { from.read_choice(to.work, kWorks); }},
    {"statements",
     [](From from, Proxy& to) { from.read_whole(to.statements, 1, kMostStatements); }},
    {"statementTime",
     [](From from, Proxy& to) { from.read_time(to.statement_time, Zero::allowed); }},
    {"thinkTime", [](From from, Proxy& to) { from.read_time(to.think_time, Zero::allowed); }},
    {"stay", [](From from, Proxy& to) { from.read_whole(to.stay, 1, kMostConnections); }},
    {"until", [](From from, Proxy& to) { from.read_time_or_off(to.until); }},
    {"cancels", [](From from, Proxy& to) { from.read_fraction(to.cancels, Zero::allowed); }},
    {"hangUps", [](From from, Proxy& to) { from.read_fraction(to.hang_ups, Zero::allowed); }},
});

using Streams = StreamsSpec;
constexpr auto kStreamsKeys = std::to_array<Key<Streams>>({
    {"delay", [](From from, Streams& to) { from.read_time(to.delay, Zero::allowed); }},
    {"delaySpread", [](From from, Streams& to) { from.read_time(to.spread, Zero::allowed); }},
    {"choppy", [](From from, Streams& to) { from.read(to.is_choppy); }},
    {"buffer", [](From from, Streams& to) { from.read_whole(to.buffer, 1, kMostConnections); }},
});

using Service = ServiceSpec;
constexpr auto kServiceKeys = std::to_array<Key<Service>>({
    {"name", [](From from, Service& to) { from.read(to.name); }},
    {"targetReady",
     [](From from, Service& to) { from.read_whole(to.target_ready, 1, kMostConnections); }},
    {"guardWindow", [](From from, Service& to) { from.read_time(to.guard_window, Zero::allowed); }},
    {"baseLifetime",
     [](From from, Service& to) { from.read_time(to.base_lifetime, Zero::refused); }},
    {"jitter", [](From from, Service& to) { from.read_time(to.jitter, Zero::allowed); }},
    {"startDelay", [](From from, Service& to) { from.read_time(to.start_delay, Zero::allowed); }},
    {"workload", [](From from, Service& to) { read_map(from, kWorkloadKeys, to.workload); }},
    {"replicas", [](From from, Service& to) { from.read_whole(to.replicas, 1, kMostProcesses); }},
    {"stagger", [](From from, Service& to) { from.read_time(to.stagger, Zero::allowed); }},
    {"loops", [](From from, Service& to) { from.read_whole(to.loops, 1, kMostLoops); }},
    {"max", [](From from, Service& to) { from.read_whole(to.max, 1, kMostConnections); }},
    {"supply", [](From from, Service& to) { from.read_choice(to.supply, kSupplies); }},
    {"takeOrder", [](From from, Service& to) { from.read_choice(to.take_order, kTakeOrders); }},
    {"minIdle", [](From from, Service& to) { from.read_whole(to.min_idle, 0, kMostConnections); }},
    {"keepOpen",
     [](From from, Service& to) { from.read_whole(to.keep_open, 0, kMostConnections); }},
    {"lowWatermark",
     [](From from, Service& to) { from.read_whole(to.low_watermark, 0, kMostConnections); }},
    {"idleTimeout", [](From from, Service& to) { from.read_time_or_off(to.idle_timeout); }},
    {"checkAfterIdle", [](From from, Service& to) { from.read_time_or_off(to.check_after_idle); }},
    {"maxOpening",
     [](From from, Service& to) { from.read_whole(to.max_opening, 1, kMostOpening); }},
    {"tenants", [](From from, Service& to) { read_map(from, kTenantsKeys, to.tenants); }},
    {"proxy", [](From from, Service& to) { read_map(from, kProxyKeys, to.proxy); }},
});

using Database = DatabaseSpec;
constexpr auto kDatabaseKeys = std::to_array<Key<Database>>({
    {"cutAfter", [](From from, Database& to) { from.read_time_or_off(to.cut_after); }},
    {"connectTime",
     [](From from, Database& to) {
       from.read_time(to.connect.median, Zero::refused);
       to.connect.spread = to.connect.median / 2;
       to.connect.slowest = to.connect.median * 4;
     }},
    {"connectTimeSpread",
     [](From from, Database& to) { from.read_time(to.connect.spread, Zero::allowed); }},
    {"connectTimeSlowest",
     [](From from, Database& to) { from.read_time(to.connect.slowest, Zero::allowed); }},
    {"answerTime",
     [](From from, Database& to) {
       from.read_time(to.answer.median, Zero::allowed);
       to.answer.spread = to.answer.median / 2;
     }},
    {"answerTimeSpread",
     [](From from, Database& to) { from.read_time(to.answer.spread, Zero::allowed); }},
    {"connectFailures",
     [](From from, Database& to) { from.read_fraction(to.connect_failures, Zero::allowed); }},
    {"conflicts", [](From from, Database& to) { from.read_fraction(to.conflicts, Zero::allowed); }},
    {"missesClientAfter",
     [](From from, Database& to) { from.read_time_or_off(to.misses_client_after); }},
    {"heedsCancels", [](From from, Database& to) { from.read(to.heeds_cancels); }},
});

using Coordination = CoordinationSpec;
constexpr auto kCoordinationKeys = std::to_array<Key<Coordination>>({
    {"enabled", [](From from, Coordination& to) { from.read(to.is_enabled); }},
    {"store", [](From from, Coordination& to) { from.read_choice(to.store, kStoreKinds); }},
    {"rateMode", [](From from, Coordination& to) { from.read_choice(to.rate_mode, kRateModes); }},
    {"latency",
     [](From from, Coordination& to) { from.read_time(to.latency.median, Zero::allowed); }},
    {"latencySpread",
     [](From from, Coordination& to) { from.read_time(to.latency.spread, Zero::allowed); }},
    {"lostReplies",
     [](From from, Coordination& to) { from.read_fraction(to.lost_replies, Zero::allowed); }},
    {"throttled",
     [](From from, Coordination& to) { from.read_fraction(to.throttled, Zero::allowed); }},
    {"leaseTtl", [](From from, Coordination& to) { from.read_time(to.lease_ttl, Zero::refused); }},
    {"requestTimeout",
     [](From from, Coordination& to) { from.read_time(to.request_timeout, Zero::refused); }},
    {"onLeaseLoss",
     [](From from, Coordination& to) { from.read_choice(to.on_lease_loss, kLeaseLosses); }},
    {"fenceBefore",
     [](From from, Coordination& to) { from.read_time(to.fence_before, Zero::refused); }},
    {"onAbsence",
     [](From from, Coordination& to) { from.read_choice(to.on_absence, kStoreAbsences); }},
    {"stagger", [](From from, Coordination& to) { from.read_time(to.stagger, Zero::allowed); }},
});

template <int tenths_of_a_percent>
void read_wait(From field, Assertions& assertions) {
  WaitAssertion wait{tenths_of_a_percent / 10.0, Duration(-1)};
  field.read_time(wait.at_most, Zero::allowed);
  if (wait.at_most >= Duration::zero()) assertions.waits.push_back(wait);
}

constexpr auto kWaitKeys = std::to_array<Key<Assertions>>({
    {"p50", read_wait<500>},
    {"p90", read_wait<900>},
    {"p99", read_wait<990>},
    {"p999", read_wait<999>},
    {"max", read_wait<1000>},
});

void read_services(From field, ScenarioDraft& draft) {
  for (const Field& item : field.items()) {
    ServiceSpec& service = draft.scenario.services.emplace_back();
    read_map(item, kServiceKeys, service);
  }
}

void read_faults(From field, ScenarioDraft& draft) {
  for (const Field& item : field.items()) {
    const std::optional<FaultSpec> fault = read_fault(item);
    if (!fault) continue;
    draft.scenario.faults.push_back(*fault);
    draft.fault_places.push_back({item.path(), item.path() + ".at"});
  }
}

// It becomes the first fault, wherever in the file it stands.
void read_scenario_of_poolsim(From field, ScenarioDraft& draft) {
  const FaultSpec fault = read_poolsim_fault(field);
  if (fault.kind == FaultKind::cold_start) return;
  draft.scenario.faults.insert(draft.scenario.faults.begin(), fault);
  const std::string at = fault.kind == FaultKind::mass_drop ? ".dropAt" : "";
  draft.fault_places.insert(draft.fault_places.begin(), {field.path(), field.path() + at});
}

using Draft = ScenarioDraft;
constexpr auto kTopKeys = std::to_array<Key<Draft>>({
    {"description", [](From from, Draft& to) { from.read(to.scenario.description); }},
    {"seed", [](From from, Draft& to) { from.read_seed(to.scenario.seed); }},
    {"endpoint", [](From from, Draft& to) { from.read(to.scenario.endpoint); }},
    {"duration", [](From from, Draft& to) { from.read_time(to.scenario.duration, Zero::refused); }},
    {"sampleEvery",
     [](From from, Draft& to) { from.read_time(to.scenario.sample_every, Zero::refused); }},
    {"limiterPerSec",
     [](From from, Draft& to) {
       from.read_number(to.scenario.database.connects_per_second, kFewestConnectsPerSecond,
                        kMostConnectsPerSecond);
     }},
    {"limiterBurst",
     [](From from, Draft& to) {
       from.read_whole(to.scenario.database.connect_burst, 1, kMostConnections);
     }},
    {"maxConnections",
     [](From from, Draft& to) {
       from.read_whole(to.scenario.database.max_connections, 1, kMostConnections);
     }},
    {"assertMaxConnectsPerSec",
     [](From from, Draft& to) {
       from.read_whole(to.scenario.assertions.max_connects_per_sec, 1, kMostConnections);
     }},
    {"assertConvergeWithin",
     [](From from, Draft& to) { from.read_time_or_off(to.scenario.assertions.converge_within); }},
    {"assertStableFor",
     [](From from, Draft& to) {
       from.read_time(to.scenario.assertions.stable_for, Zero::allowed);
     }},
    {"assertMaxClosurePerSec",
     [](From from, Draft& to) {
       from.read_whole(to.scenario.assertions.max_closures_per_sec, 0, kMostConnections);
     }},
    {"assertZeroEmptyEvents",
     [](From from, Draft& to) { from.read(to.scenario.assertions.zero_empty_events); }},
    {"assertMaxConnections",
     [](From from, Draft& to) {
       from.read_whole(to.scenario.assertions.max_connections, 0, kMostConnections);
     }},
    {"assertAcquireWait",
     [](From from, Draft& to) { read_map(from, kWaitKeys, to.scenario.assertions); }},
    {"assertRecoverWithin",
     [](From from,
        Draft& to) { from.read_time(to.scenario.assertions.recover_within, Zero::refused); }},
    {"assertLeasesExactWithin",
     [](From from,
        Draft& to) { from.read_time(to.scenario.assertions.leases_exact_within, Zero::refused); }},
    {"assertMaxTimeouts",
     [](From from,
        Draft& to) { from.read_whole(to.scenario.assertions.max_timeouts, 0, 1'000'000'000); }},
    {"database", [](From from, Draft& to) { read_map(from, kDatabaseKeys, to.scenario.database); }},
    {"streams", [](From from, Draft& to) { read_map(from, kStreamsKeys, to.scenario.streams); }},
    {"coordination",
     [](From from, Draft& to) { read_map(from, kCoordinationKeys, to.scenario.coordination); }},
    {"services", read_services},
    {"faults", read_faults},
    {"scenario", read_scenario_of_poolsim},
});

template <class Into, std::size_t count>
KeyGroup group(std::string path, const std::array<Key<Into>, count>& keys) {
  return {std::move(path), names(keys)};
}

}  // namespace

ScenarioDraft read_keys(const Field& file) {
  ScenarioDraft draft;
  read_map(file, kTopKeys, draft);
  return draft;
}

std::vector<KeyGroup> scenario_keys() {
  return {group("", kTopKeys),
          group("services[]", kServiceKeys),
          group("services[].workload", kWorkloadKeys),
          group("services[].tenants", kTenantsKeys),
          group("services[].proxy", kProxyKeys),
          group("database", kDatabaseKeys),
          group("streams", kStreamsKeys),
          group("coordination", kCoordinationKeys),
          group("assertAcquireWait", kWaitKeys),
          {"faults[]", fault_keys()},
          {"scenario", poolsim_fault_keys()}};
}

}  // namespace forebay::sim
