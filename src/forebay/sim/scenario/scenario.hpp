// Scenario: everything that a scenario file can say, with its defaults. Plain values; reading them
// from YAML is scenario_file's job, and making a world of them World's.
//
// What a process is told by an option of the library has the default of that option, except where
// the files of poolsim mean something else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/coordination/cluster_options.hpp"
#include "forebay/env/time.hpp"
#include "forebay/pool/pool_defaults.hpp"
#include "forebay/sim/scenario/proxy_spec.hpp"
#include "forebay/tenants/tenant_options.hpp"

namespace forebay::sim {

// How long something takes: uniform between median - spread and median + spread, and one time in
// a thousand `slowest` where that is set. Never negative.
struct Latency {
  Duration median{};
  Duration spread{};
  Duration slowest{};  // zero: no such tail

  bool operator==(const Latency&) const = default;
};

// Callers of one service. Either a target concurrency (max_in_use, topped up every spawn_every by
// at most arrival_burst), or a rate of arrivals.
struct WorkloadSpec {
  bool is_enabled = false;
  int max_in_use = 0;
  double arrivals_per_second = 0;  // ours; > 0 replaces the target concurrency
  Duration hold_time = std::chrono::milliseconds(10);
  Duration hold_jitter{};  // 0..jitter is added
  Duration spawn_every = std::chrono::milliseconds(200);
  int arrival_burst = 5;
  Duration max_wait = std::chrono::seconds(10);
  Duration start_after{};       // after the service's start
  double discard_fraction = 0;  // ours: callers who find their connection broken and say so
  // Ours: statements that take this long in place of the hold time, and when their callers give up.
  double slow_fraction = 0;
  Duration slow_time = std::chrono::seconds(30);
  Duration statement_timeout = std::chrono::seconds(5);  // max(): they wait for the end

  bool operator==(const WorkloadSpec&) const = default;
};

// Ours: the service's callers want one of many databases, which share a budget.
struct TenantsSpec {
  int count = 0;                                          // 0: there is one database
  int max_connections = TenantOptions().max_connections;  // with nothing for the system
  int per_tenant = TenantOptions().max_per_tenant;
  double skew = 0;  // tenant n is wanted n^-skew times as often as the first
  Duration stint = TenantOptions().stint;

  bool operator==(const TenantsSpec&) const = default;
};

struct ServiceSpec {
  std::string name;
  int target_ready = 50;
  Duration guard_window = PoolOptions().guard_window;
  Duration base_lifetime = PoolDefaults().base_lifetime;
  Duration jitter = PoolOptions().lifetime_jitter;
  Duration start_delay{};
  WorkloadSpec workload;

  // Ours.
  int replicas = 1;  // how many processes, see processes(); start delays add up by stagger
  Duration stagger{};
  int loops = 1;           // of each process; callers come on one after the other
  std::optional<int> max;  // connections in all; default: see pool_options()
  Supply supply = Supply::reservoir;
  TakeOrder take_order = PoolOptions().take_order;
  int min_idle = 0;
  int keep_open = 0;
  std::optional<int> low_watermark;
  Duration idle_timeout = std::chrono::minutes(10);            // max(): never
  Duration check_after_idle = PoolOptions().check_after_idle;  // max(): never
  int max_opening = PoolOptions().max_opening;
  TenantsSpec tenants;
  ProxySpec proxy;

  bool operator==(const ServiceSpec&) const = default;
};

// The simulated database: DSQL's limits unless told otherwise.
struct DatabaseSpec {
  double connects_per_second = ClusterOptions().connects_per_second;  // limiterPerSec
  int connect_burst = 1;                          // limiterBurst; DSQL itself allows 1,000
  std::optional<int> max_connections;             // absent: no cap, and no leases are taken
  Duration cut_after = std::chrono::minutes(60);  // max(): never
  Latency connect{std::chrono::milliseconds(30), std::chrono::milliseconds(15),
                  std::chrono::milliseconds(120)};
  Latency answer{std::chrono::milliseconds(2), std::chrono::milliseconds(1), {}};
  double connect_failures = 0;  // fraction of connects that fail
  double conflicts = 0;         // fraction of transactions that meet an OCC conflict at commit
  // How soon it misses a client while a statement runs, or one that cannot be reached; max(): never
  Duration misses_client_after = std::chrono::seconds(2);
  bool heeds_cancels = true;

  bool operator==(const DatabaseSpec&) const = default;
};

enum class StoreKind : std::uint8_t {
  memory,    // a model of what the store does
  dynamodb,  // the shipping client, down to its signed requests, against a simulated DynamoDB
};

// The coordination store that all processes share, and how they use it.
struct CoordinationSpec {
  bool is_enabled = true;  // false: each process believes that it is alone
  StoreKind store = StoreKind::memory;
  RateMode rate_mode = RateMode::bucket;  // a world has no clients of the older kind
  Latency latency;          // of one request and its reply; zero: coordination costs nothing
  double lost_replies = 0;  // fraction: it was done, and nobody heard
  double throttled = 0;     // fraction that is refused for now
  Duration lease_ttl = ClusterOptions().ttl;
  Duration request_timeout = ClusterOptions().request_timeout;
  LeaseLoss on_lease_loss = ClusterOptions().on_loss;
  std::optional<Duration> fence_before;  // none: as ClusterOptions
  StoreAbsence on_absence = ClusterOptions().on_absence;
  Duration stagger = ClusterOptions().stagger;  // of the first connect, without a store too

  bool operator==(const CoordinationSpec&) const = default;
};

enum class FaultKind : std::uint8_t {
  cold_start,       // nothing: all services start empty
  rolling_restart,  // one process after the other is drained and started again, every `every`
  mass_drop,        // the server cuts `fraction` of all sessions
  crash,            // a process dies without a word and returns after `length`
  store_outage,     // the store answers nobody
  partition,        // some services cannot reach the store, the database, or both
  clock_skew,       // some services' wall clocks are off by `skew`
  slow_connect,     // connects take `factor` times as long
  connect_errors,   // `fraction` of connects fail
  deploy,           // a new fleet starts beside the old one, which is drained after `overlap`
  tenant_storm,     // some tenants are wanted more often
  freeze,           // some processes stand still, and go on after `length`
  server_restart,   // the server ends all sessions, and is back after `length`
  server_stall,     // the server answers nothing for `length`
  broken_streams,   // some streams between clients and proxies break, anywhere
};
inline constexpr std::size_t kFaultKinds = 15;

struct FaultSpec {
  FaultKind kind = FaultKind::cold_start;
  Duration at = std::chrono::minutes(5);
  Duration length{};                  // how long it lasts; zero: a moment, or to the end
  std::vector<std::string> services;  // by name; a name of replicas means all of them; none: all
  double fraction = 0.3;              // dropFraction, failing connects, streams that break
  double factor = 10;                 // slow_connect; tenant_storm: times as often as usual
  int tenants = 1;                    // tenant_storm: how many of a service, from the first
  Duration every = std::chrono::seconds(60);  // rollEvery
  Duration overlap = std::chrono::seconds(30);
  Duration skew{};
  bool cuts_store = true;      // partition
  bool cuts_database = false;  // partition

  bool operator==(const FaultSpec&) const = default;
};

struct WaitAssertion {
  double percentile = 99;  // of all callers, served or not
  Duration at_most{};

  bool operator==(const WaitAssertion&) const = default;
};

struct Assertions {
  std::optional<int> max_connects_per_sec;  // default: limiterPerSec (+ burst, in one second)
  std::optional<Duration> converge_within = std::chrono::seconds(60);  // none: not expected
  Duration stable_for = std::chrono::seconds(5);
  bool zero_empty_events = false;
  // Each of these is checked only if it is set.
  std::optional<int> max_closures_per_sec;  // that the scenario did not order itself
  std::optional<int> max_connections;       // the database never counted more
  std::vector<WaitAssertion> waits;
  std::optional<Duration> recover_within;       // after each fault, every service is at target
  std::optional<Duration> leases_exact_within;  // after the last fault: counter == connections
  std::optional<int> max_timeouts;              // callers who went away with nothing

  bool operator==(const Assertions&) const = default;
};

struct Scenario {
  std::string name;         // of the file, without folder and ending
  std::string description;  // the file's leading comment, first paragraph
  std::uint64_t seed = 42;
  std::string endpoint = "cluster.dsql.eu-west-1.on.aws";
  Duration duration = std::chrono::minutes(20);
  Duration sample_every = std::chrono::seconds(1);
  DatabaseSpec database;
  StreamsSpec streams;
  CoordinationSpec coordination;
  std::vector<ServiceSpec> services;
  std::vector<FaultSpec> faults;
  Assertions assertions;
  // No key: after a fault, this long until everything is expected to be healthy, as backoffs and
  // checks have their time. Tests of small worlds, whose services have short ones, set less.
  Duration healing = std::chrono::seconds(60);

  bool operator==(const Scenario&) const = default;
};

inline bool is_proxy(const ServiceSpec& service) { return service.proxy.clients > 0; }

// "rolling_restart", as in files.
std::string_view name(FaultKind kind);

// Three replicas of "worker" are worker-1, worker-2 and worker-3; ten are worker-01 to worker-10. A
// single one is "worker".
std::string process_name(const ServiceSpec& service, int number);

// Every process of the run, as a service with one replica, in the order of the file. Each replica
// starts later than the one before by the stagger.
std::vector<ServiceSpec> processes(const Scenario& scenario);

// Which of processes() a fault is about: indices, ascending. A fault names services or single
// processes; without names it is about all.
std::vector<std::size_t> affected_processes(const Scenario& scenario, const FaultSpec& fault);

}  // namespace forebay::sim
