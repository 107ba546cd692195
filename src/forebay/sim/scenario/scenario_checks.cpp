#include "forebay/sim/scenario/scenario_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/sim/scenario/scenario_limits.hpp"
#include "forebay/sim/scenario/service_checks.hpp"
#include "forebay/sim/scenario/service_pool.hpp"
#include "forebay/yaml/field.hpp"

namespace forebay::sim {
namespace {

using yaml::FileProblems;
using yaml::kLongestTime;

// Among at most this many names the one that was meant is looked for.
constexpr std::size_t kMostSuggested = 100;

std::string service_path(std::size_t index) { return fmt::format("services[{}]", index); }

void check_run(const Scenario& scenario, FileProblems& problems) {
  problems.require(
      scenario.sample_every <= scenario.duration, "sampleEvery", {"duration"},
      fmt::format("{} is longer than duration, {}", duration_text(scenario.sample_every),
                  duration_text(scenario.duration)));
  const std::int64_t samples = scenario.duration / scenario.sample_every;
  problems.require(samples <= kMostSamples, "sampleEvery", {"duration"},
                   fmt::format("{} in a duration of {} makes {} samples, at most {} are possible",
                               duration_text(scenario.sample_every),
                               duration_text(scenario.duration), samples, kMostSamples));
}

void check_latency(const Latency& latency, const std::string& key, FileProblems& problems) {
  problems.require(latency.spread <= latency.median, key + "Spread", {key},
                   fmt::format("{} is more than {} itself, {}; times below zero do not exist",
                               duration_text(latency.spread), key, duration_text(latency.median)));
  const bool is_slowest =
      latency.slowest == Duration::zero() || latency.slowest >= latency.median + latency.spread;
  problems.require(
      is_slowest, key + "Slowest", {key, key + "Spread"},
      fmt::format("{} is less than what is usual, {} + {}", duration_text(latency.slowest),
                  duration_text(latency.median), duration_text(latency.spread)));
}

void check_streams(const StreamsSpec& streams, FileProblems& problems) {
  problems.require(streams.spread <= streams.delay, "streams.delaySpread", {"streams.delay"},
                   fmt::format("{} is more than delay itself, {}; times below zero do not exist",
                               duration_text(streams.spread), duration_text(streams.delay)));
}

void check_coordination(const CoordinationSpec& coordination, FileProblems& problems) {
  check_latency(coordination.latency, "coordination.latency", problems);
  problems.require(
      coordination.request_timeout < coordination.lease_ttl, "coordination.requestTimeout",
      {"coordination.leaseTtl"},
      fmt::format("{} is not shorter than leaseTtl, {}: a lease could end while it is renewed",
                  duration_text(coordination.request_timeout),
                  duration_text(coordination.lease_ttl)));
  problems.require(
      coordination.fence_before.value_or(Duration::zero()) <= coordination.lease_ttl / 2,
      "coordination.fenceBefore", {"coordination.leaseTtl"},
      fmt::format("{} is more than half of leaseTtl, {}: no renewal would ever be in time",
                  duration_text(coordination.fence_before.value_or(Duration::zero())),
                  duration_text(coordination.lease_ttl)));
  const Duration longest_wait = ClusterOptions().max_wait;
  problems.require(
      coordination.stagger < longest_wait, "coordination.stagger", {},
      fmt::format("{} is not shorter than {}, the longest wait for a permit: the first "
                  "connects would fail",
                  duration_text(coordination.stagger), duration_text(longest_wait)));
  const Duration slowest = coordination.latency.median + coordination.latency.spread;
  problems.require(
      coordination.request_timeout > slowest, "coordination.requestTimeout",
      {"coordination.latency", "coordination.latencySpread"},
      fmt::format("{} is not longer than a request may take, {}: what is answered would count as "
                  "failed",
                  duration_text(coordination.request_timeout), duration_text(slowest)));
}

// Around the end of a clock second those of two seconds may start together.
void check_window(const Scenario& scenario, FileProblems& problems) {
  if (!scenario.coordination.is_enabled || scenario.coordination.rate_mode != RateMode::window)
    return;
  const DatabaseSpec& database = scenario.database;
  problems.require(database.connects_per_second >= 1, "coordination.rateMode", {"limiterPerSec"},
                   fmt::format("window counts whole connects in a second, and limiterPerSec is {}",
                               database.connects_per_second));
  problems.require(
      database.connect_burst >= 2 * database.connects_per_second, "coordination.rateMode",
      {"limiterBurst", "limiterPerSec"},
      fmt::format("with window, the connects of two seconds may come together; limiterBurst must "
                  "be at least {}, twice limiterPerSec, not {}",
                  2 * database.connects_per_second, database.connect_burst));
}

// Callers give back, and connections are closed, in half of the fence's time each: what is lent
// when the fence falls must be gone before the lease can end.
void check_fence(const Scenario& scenario, const ServiceSpec& service, const std::string& path,
                 FileProblems& problems) {
  const bool is_fencing =
      scenario.database.max_connections && scenario.coordination.on_lease_loss == LeaseLoss::fence;
  if (!is_fencing || !service.workload.is_enabled) return;
  const Duration most = fence_before(cluster_options(scenario)) / 2;
  const Duration longest = longest_hold(service.workload);
  problems.require(
      longest <= most, path + ".workload.holdTime", {"coordination.onLeaseLoss"},
      fmt::format(
          "callers may hold a connection for {}; with onLeaseLoss: fence and a leaseTtl of {} "
          "they must give back within {}",
          duration_text(longest), duration_text(scenario.coordination.lease_ttl),
          duration_text(most)));
  problems.require(
      service.workload.slow_fraction == 0 || scenario.database.misses_client_after <= most,
      "database.missesClientAfter", {"coordination.onLeaseLoss"},
      fmt::format("with onLeaseLoss: fence and a leaseTtl of {} the database must miss a client "
                  "within {}, or sessions would outlive their leases",
                  duration_text(scenario.coordination.lease_ttl), duration_text(most)));
}

std::int64_t count_processes(const Scenario& scenario) {
  std::int64_t count = 0;
  for (const ServiceSpec& service : scenario.services) count += service.replicas;
  return count;
}

void check_totals(const Scenario& scenario, FileProblems& problems) {
  const std::int64_t process_count = count_processes(scenario);
  problems.require(process_count <= kMostProcesses, "services", {},
                   fmt::format("there are {} processes in all, at most {} are possible",
                               process_count, kMostProcesses));
  const std::int64_t samples = scenario.duration / scenario.sample_every;
  const bool are_bearable = samples <= kMostSamples && process_count * samples <= kMostSamplesOfAll;
  problems.require(
      are_bearable, "sampleEvery", {"duration", "services"},
      fmt::format("{} makes {} samples of each of {} processes, at most {} in all are "
                  "possible; take them less often",
                  duration_text(scenario.sample_every), samples, process_count, kMostSamplesOfAll));
  std::int64_t connections = 0;
  for (const ServiceSpec& service : scenario.services) {
    const PoolOptions options = pool_options(service, scenario.database);
    connections += std::int64_t{service.replicas} * *options.size.max;
  }
  if (problems.is_refused_within("services")) return;
  problems.require(connections <= kMostConnections, "services", {},
                   fmt::format("there would be up to {} connections in all, at most {} are "
                               "possible",
                               connections, kMostConnections));
}

// By whom each name is used; nobody if some are not known. Services and processes share one set of
// names, since faults may name either; what is taken twice is a problem.
std::map<std::string, std::size_t> check_names(const Scenario& scenario, FileProblems& problems) {
  std::map<std::string, std::size_t> owners;
  bool are_known = true;
  for (std::size_t i = 0; i < scenario.services.size(); ++i) {
    const ServiceSpec& service = scenario.services[i];
    const std::string path = service_path(i) + ".name";
    if (!problems.is_given(path) || problems.is_refused(path)) {
      are_known = false;
      continue;
    }
    const auto take = [&](const std::string& name) {
      const auto [owner, is_new] = owners.emplace(name, i);
      problems.require(is_new, path, {},
                       fmt::format("{} is a name in {} already; names must differ", shown(name),
                                   service_path(owner->second)));
    };
    take(service.name);
    for (int number = 1; service.replicas > 1 && number <= service.replicas; ++number)
      take(process_name(service, number));
  }
  if (!are_known) owners.clear();
  return owners;
}

void check_fault_services(const FaultSpec& fault, const std::string& path,
                          const std::map<std::string, std::size_t>& owners,
                          FileProblems& problems) {
  if (owners.empty()) return;
  for (std::size_t i = 0; i < fault.services.size(); ++i) {
    const std::string& name = fault.services[i];
    if (owners.contains(name)) continue;
    std::vector<std::string> known;
    for (const auto& [other, owner] : owners) {
      if (known.size() < kMostSuggested) known.push_back(other);
    }
    problems.require(false, fmt::format("{}.services[{}]", path, i), {path + ".services"},
                     fmt::format("there is no service {}{}", shown(name), suggestion(name, known)));
  }
}

// When the last of it happens, or it ends. What lasts to the end of the run has no such time, and
// gives its start.
Duration end_of(const FaultSpec& fault, const Scenario& scenario) {
  switch (fault.kind) {
    case FaultKind::rolling_restart: {
      const std::size_t count = affected_processes(scenario, fault).size();
      const auto steps = static_cast<std::int64_t>(std::max<std::size_t>(count, 1)) - 1;
      // Times are at most a year and the processes 10,000: only the product could overflow.
      return steps > kLongestTime / fault.every ? kLongestTime : fault.at + fault.every * steps;
    }
    case FaultKind::deploy: return fault.at + fault.overlap;
    default: return fault.at + fault.length;
  }
}

void check_fault(const Scenario& scenario, const FaultSpec& fault, const FaultPlace& place,
                 FileProblems& problems) {
  const Duration end = scenario.duration;
  if (fault.at >= end) {
    problems.require(false, place.at, {"duration"},
                     fmt::format("it would happen at {}, but the run ends at {}",
                                 duration_text(fault.at), duration_text(end)));
  } else if (fault.kind == FaultKind::deploy) {
    problems.require(fault.at + fault.overlap <= end, place.path + ".overlap",
                     {"duration", place.at},
                     fmt::format("the old processes would go at {}, but the run ends at {}",
                                 duration_text(fault.at + fault.overlap), duration_text(end)));
  } else {
    problems.require(fault.at + fault.length <= end, place.path + ".length", {"duration", place.at},
                     fmt::format("it would end at {}, but the run ends at {}; leave length out "
                                 "if it is to last to the end",
                                 duration_text(fault.at + fault.length), duration_text(end)));
  }
}

void check_storm(const Scenario& scenario, const FaultSpec& fault, const std::string& path,
                 FileProblems& problems) {
  if (fault.kind != FaultKind::tenant_storm || problems.is_refused_within("services")) return;
  const std::vector<ServiceSpec> all = processes(scenario);
  const std::vector<std::size_t> affected = affected_processes(scenario, fault);
  const bool has_tenants = std::ranges::any_of(affected, [&](std::size_t index) {
    return all[index].workload.is_enabled && all[index].tenants.count >= fault.tenants;
  });
  problems.require(has_tenants, path, {path + ".services"},
                   fmt::format("none of its services has callers and {} tenants; give one tenants",
                               fault.tenants == 1 ? "any" : fmt::format("{}", fault.tenants)));
}

// A server that never comes back is the end of all, and not of interest.
void check_server_fault(const FaultSpec& fault, const std::string& path, FileProblems& problems) {
  if (fault.kind != FaultKind::server_restart && fault.kind != FaultKind::server_stall) return;
  problems.require(problems.is_given(path + ".length"), path, {path + ".length"},
                   "length is missing; it says how long the server is away, like length: 2s");
}

void check_breaks(const Scenario& scenario, const FaultSpec& fault, const std::string& path,
                  FileProblems& problems) {
  if (fault.kind != FaultKind::broken_streams) return;
  const std::vector<ServiceSpec> all = processes(scenario);
  const bool has_proxy =
      std::ranges::any_of(affected_processes(scenario, fault),
                          [&](std::size_t process) { return is_proxy(all[process]); });
  problems.require(has_proxy, path, {path + ".services"},
                   "none of the services it is about has proxy; only clients of proxies have "
                   "streams that can break");
}

// REQUIRES: there are not too many processes.
void check_faults(const ScenarioDraft& draft, const std::map<std::string, std::size_t>& owners,
                  FileProblems& problems) {
  const Scenario& scenario = draft.scenario;
  problems.require(scenario.faults.size() <= kMostFaults, "faults", {},
                   fmt::format("there are {} of them, at most {} are possible",
                               scenario.faults.size(), kMostFaults));
  if (problems.is_refused("faults")) return;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const FaultSpec& fault = scenario.faults[i];
    const FaultPlace& place = draft.fault_places[i];
    check_fault(scenario, fault, place, problems);
    check_fault_services(fault, place.path, owners, problems);
    if (problems.is_refused_within(place.path)) continue;
    check_storm(scenario, fault, place.path, problems);
    check_breaks(scenario, fault, place.path, problems);
    check_server_fault(fault, place.path, problems);
  }
}

// A client may keep a server for as long as it likes, and no lease waits for it.
void check_proxies(const Scenario& scenario, FileProblems& problems) {
  check_streams(scenario.streams, problems);
  const auto proxy = std::ranges::find_if(scenario.services, &is_proxy);
  if (proxy == scenario.services.end()) {
    problems.require(!problems.is_given("streams"), "streams", {},
                     "mean nothing without a service that has proxy; leave them out");
    return;
  }
  problems.require(
      !scenario.database.max_connections || scenario.coordination.on_lease_loss == LeaseLoss::keep,
      "coordination.onLeaseLoss", {},
      fmt::format("fence cannot be kept by a proxy, {}, whose clients may keep a server as long as "
                  "they like; write keep",
                  shown(proxy->name)));
}

bool has_callers(const Scenario& scenario) {
  return std::ranges::any_of(scenario.services, [](const ServiceSpec& service) {
    return service.workload.is_enabled || is_proxy(service);
  });
}

void check_recovery(const ScenarioDraft& draft, FileProblems& problems) {
  const Scenario& scenario = draft.scenario;
  if (!scenario.assertions.recover_within) return;
  problems.require(!scenario.faults.empty(), "assertRecoverWithin", {"faults", "scenario"},
                   "there is no fault to recover from");
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const std::string& path = draft.fault_places[i].path;
    if (problems.is_refused_within(path) || problems.is_refused_within("services")) continue;
    const Duration latest =
        end_of(scenario.faults[i], scenario) + *scenario.assertions.recover_within;
    problems.require(latest <= scenario.duration, "assertRecoverWithin", {"duration"},
                     fmt::format("{} after the end of {} is {}, but the run ends at {}",
                                 duration_text(*scenario.assertions.recover_within), path,
                                 duration_text(latest), duration_text(scenario.duration)));
  }
}

void check_assertions(const ScenarioDraft& draft, FileProblems& problems) {
  const Scenario& scenario = draft.scenario;
  const Assertions& assertions = scenario.assertions;
  const auto require_in_run = [&](const std::string& key, Duration time) {
    problems.require(!problems.is_given(key) || time <= scenario.duration, key, {"duration"},
                     fmt::format("{} is longer than the run, {}", duration_text(time),
                                 duration_text(scenario.duration)));
  };
  require_in_run("assertConvergeWithin", assertions.converge_within.value_or(Duration::zero()));
  require_in_run("assertStableFor", assertions.stable_for);
  check_recovery(draft, problems);
  if (assertions.leases_exact_within) {
    problems.require(scenario.database.max_connections.has_value(), "assertLeasesExactWithin",
                     {"maxConnections"}, "without maxConnections no leases are taken; give it");
    problems.require(scenario.coordination.is_enabled, "assertLeasesExactWithin",
                     {"coordination.enabled"},
                     "with coordination.enabled: false no leases are taken");
  }
  problems.require(assertions.waits.empty() || has_callers(scenario), "assertAcquireWait",
                   {"services"}, "there are no callers who could wait; enable a workload");
}

}  // namespace

void check_scenario(const ScenarioDraft& draft, FileProblems& problems) {
  const Scenario& scenario = draft.scenario;
  check_run(scenario, problems);
  check_latency(scenario.database.connect, "database.connectTime", problems);
  check_latency(scenario.database.answer, "database.answerTime", problems);
  check_coordination(scenario.coordination, problems);
  check_window(scenario, problems);
  if (scenario.services.empty()) {
    problems.require(false, "services", {},
                     "there are none; a scenario needs at least one, like services: [{name: "
                     "history}]");
    return;
  }
  for (std::size_t i = 0; i < scenario.services.size(); ++i) {
    check_service(scenario, scenario.services[i], service_path(i), problems);
    check_fence(scenario, scenario.services[i], service_path(i), problems);
  }
  check_totals(scenario, problems);
  check_proxies(scenario, problems);
  if (count_processes(scenario) > kMostProcesses) return;
  check_faults(draft, check_names(scenario, problems), problems);
  check_assertions(draft, problems);
}

}  // namespace forebay::sim
