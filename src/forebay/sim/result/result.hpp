// RunResult: what one simulated run showed. Plain values, for the summary, the CSV, the JSON and
// the report.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/core/discard_reason.hpp"
#include "forebay/env/time.hpp"

namespace forebay::sim {

// One process at one time. Counters are since the start of the run, over restarts, and a process
// that is down has them too.
struct Sample {
  Duration at{};
  int ready = 0;
  int target = 0;
  int lent = 0;
  int opening = 0;
  int cleaning = 0;
  int closing = 0;
  int waiters = 0;
  int leases = 0;  // held by the process
  bool is_up = false;

  std::uint64_t acquired = 0;
  std::uint64_t empty_events = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t opened = 0;
  std::uint64_t open_failures = 0;
  std::uint64_t permit_waits = 0;  // connects that had to wait for the cluster's rate
  std::uint64_t work_started = 0;
  std::uint64_t work_completed = 0;
  std::uint64_t work_failed = 0;  // callers who went away without it
  std::array<std::uint32_t, kDiscardReasons> discards{};
};

// The whole cluster, in one sample period that ends at `at`. Processes are sampled at the same
// times.
struct ClusterSample {
  Duration at{};
  int connects = 0;  // that reached the database
  int refused = 0;   // of these, by rate or by cap
  int sessions = 0;  // as the database counts them, at the end
  int closures = 0;
  int leases = 0;       // the store's counter
  int lease_limit = 0;  // 0: no cap
};

struct WaitPercentiles {
  std::uint64_t count = 0;  // callers, served or not
  Duration p50{}, p90{}, p99{}, p999{}, max{};
};

// The clients of a process that is a proxy.
struct ClientFigures {
  int clients = 0;
  std::uint64_t log_ins = 0;   // the first of each, and after each leave and each loss
  std::uint64_t units = 0;     // that were answered: statements, or what is sent up to a Sync
  std::uint64_t unserved = 0;  // of these: there was no server in time
  std::uint64_t cancelled = 0;
  std::uint64_t lost = 0;   // sessions that ended, and they had not asked for that
  std::uint64_t stays = 0;  // times that one had a server
  std::uint64_t pins = 0;   // times that one kept its server

  ClientFigures& operator+=(const ClientFigures& more);
};

// How a process was when the run ended.
enum class ProcessEnd : std::uint8_t {
  up,
  down,         // it had crashed
  drained,      // as the scenario wanted: replaced, or about to start again
  not_started,  // its time had not come
};

// "not_started".
std::string_view name(ProcessEnd end);

// One process over the whole run.
struct ServiceResult {
  std::string name;
  int target = 0;
  std::optional<Duration> started_at;       // nothing: it never was
  std::optional<Duration> converged_after;  // since its start
  std::optional<Duration> unstable_at;      // it fell below its target soon after
  int open_at_end = 0;
  ProcessEnd end = ProcessEnd::up;
  WaitPercentiles waits;
  std::optional<ClientFigures> clients;  // none: it is no proxy
  std::vector<Sample> samples;
};

struct FaultMark {
  Duration at{};
  Duration until{};  // == at for a moment
  std::string kind;
  std::string
      text;  // whom it befell: "api-07", "12 processes", "the server cut 100 sessions (50 %)"
  std::optional<Duration> recovered_after;  // every process at target again, since the fault's end
};

struct Verdict {
  std::string name;  // "assertConvergeWithin"
  bool holds = false;
  std::string expected;
  std::string seen;
  std::optional<Duration> when;
  std::vector<std::string> processes = {};  // that failed it; none if it is about all together
};

// Callers of all processes.
struct CallerTotals {
  std::uint64_t started = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;    // the others were at work when the run ended
  std::uint64_t timeouts = 0;  // who got no connection by their deadline

  CallerTotals& operator+=(const CallerTotals& more);
};

// A broken promise ends the run at once.
struct BrokenPromise {
  int promise = 0;  // 1 to 9, as numbered in docs/architecture.md
  std::string what;
  Duration when{};
  std::uint64_t event = 0;  // the number of the event after which it was seen
  std::string process;
  std::string state;
};

struct RunResult {
  std::string scenario;
  std::string replay;  // what to type in a shell to see this run again; may be absent
  std::string description;
  std::uint64_t seed = 0;
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  Duration duration{};  // of virtual time that was run
  Duration sample_every{};
  double connects_per_second = 0;  // the database's limit
  int connect_burst = 0;
  std::optional<int> max_connections;
  int most_sessions = 0;  // ever, as the database counts
  int most_connects_in_a_second = 0;
  std::uint64_t conflicts = 0;  // OCC conflicts that transactions met
  WaitPercentiles waits;        // of all processes
  std::vector<ServiceResult> services;
  std::vector<ClusterSample> cluster;
  std::vector<FaultMark> faults;
  std::vector<Verdict> assertions;
  std::optional<BrokenPromise> broken_promise;

  bool holds() const {
    return !broken_promise.has_value() && std::ranges::all_of(assertions, &Verdict::holds);
  }  // all assertions hold and no promise was broken
  CallerTotals callers() const;
  std::optional<ClientFigures> clients() const;  // of all proxies; none: there is no proxy
};

}  // namespace forebay::sim
