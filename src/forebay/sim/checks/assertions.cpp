#include "forebay/sim/checks/assertions.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::sim {
namespace {

Verdict verdict(std::string name, bool holds, std::string expected, std::string seen,
                std::optional<Duration> when = std::nullopt) {
  Verdict result;
  result.name = std::move(name);
  result.holds = holds;
  result.expected = std::move(expected);
  result.seen = std::move(seen);
  if (!holds) result.when = when;
  return result;
}

Verdict at_most(std::string name, std::uint64_t limit, std::uint64_t seen, std::string_view what,
                std::optional<Duration> when = std::nullopt) {
  return verdict(std::move(name), seen <= limit, fmt::format("at most {} {}", limit, what),
                 fmt::format("{}", seen), when);
}

Verdict judge_connects(const Assertions& assertions, const Judged& judged,
                       const RunResult& result) {
  const int allowed = assertions.max_connects_per_sec.value_or(
      static_cast<int>(std::ceil(result.connects_per_second)) + result.connect_burst - 1);
  return at_most("assertMaxConnectsPerSec", static_cast<std::uint64_t>(allowed),
                 static_cast<std::uint64_t>(result.most_connects_in_a_second),
                 "connects in any second", judged.busiest_second);
}

// The processes that failed: those of which it is true.
template <class Failed>
void name_failed(Verdict& verdict, const RunResult& result, Failed failed) {
  if (verdict.holds) return;
  for (const ServiceResult& process : result.services) {
    if (failed(process)) verdict.processes.push_back(process.name);
  }
}

// The last counters of a process.
Sample end_of(const ServiceResult& process) {
  return process.samples.empty() ? Sample() : process.samples.back();
}

// What started too late to have had its time is not judged.
bool is_judged(const ServiceResult& process, Duration within, const RunResult& result) {
  return process.started_at &&
         (process.converged_after || *process.started_at + within <= result.duration);
}

// The process that took longest, or never got there.
Verdict judge_convergence(Duration within, const RunResult& result) {
  const std::string name = "assertConvergeWithin";
  const std::string expected =
      fmt::format("every process at its target within {} of its start", duration_text(within));
  const ServiceResult* slowest = nullptr;
  const auto time = [](const ServiceResult& s) {
    return s.converged_after.value_or(Duration::max());
  };
  for (const ServiceResult& service : result.services) {
    if (!is_judged(service, within, result)) continue;
    if (slowest == nullptr || time(service) > time(*slowest)) slowest = &service;
  }
  if (slowest == nullptr) return verdict(name, true, expected, "nothing was started for so long");
  Verdict judged = slowest->converged_after
                       ? verdict(name, *slowest->converged_after <= within, expected,
                                 fmt::format("{} took {}", slowest->name,
                                             readable_time(*slowest->converged_after)),
                                 *slowest->started_at + *slowest->converged_after)
                       : verdict(name, false, expected,
                                 fmt::format("{} never did; it ended with {} of {}", slowest->name,
                                             slowest->open_at_end, slowest->target),
                                 *slowest->started_at + within);
  name_failed(judged, result, [&](const ServiceResult& process) {
    return is_judged(process, within, result) && time(process) > within;
  });
  return judged;
}

Verdict judge_stability(Duration stable_for, const RunResult& result) {
  const std::string name = "assertStableFor";
  const std::string expected = fmt::format("no process below its target for {} after it got there",
                                           duration_text(stable_for));
  const auto is_unstable = [](const ServiceResult& process) {
    return process.unstable_at.has_value();
  };
  const auto first = std::ranges::find_if(result.services, is_unstable);
  if (first == result.services.end()) return verdict(name, true, expected, "all stayed");
  Verdict judged = verdict(name, false, expected, fmt::format("{} fell below it", first->name),
                           first->unstable_at);
  name_failed(judged, result, is_unstable);
  return judged;
}

Verdict judge_empty(const RunResult& result) {
  std::uint64_t empty = 0;
  std::optional<Duration> first;
  for (const ServiceResult& service : result.services) {
    for (const Sample& sample : service.samples) {
      if (sample.empty_events > 0 && (!first || sample.at < *first)) first = sample.at;
    }
    empty += end_of(service).empty_events;
  }
  Verdict judged =
      at_most("assertZeroEmptyEvents", 0, empty, "callers who found nothing ready", first);
  name_failed(judged, result,
              [](const ServiceResult& process) { return end_of(process).empty_events > 0; });
  return judged;
}

Verdict judge_timeouts(int allowed, const RunResult& result) {
  Verdict judged = at_most("assertMaxTimeouts", static_cast<std::uint64_t>(allowed),
                           result.callers().timeouts, "callers whose deadline passed");
  name_failed(judged, result,
              [](const ServiceResult& process) { return end_of(process).timeouts > 0; });
  return judged;
}

// All callers together are judged, and those processes are named whose own callers waited too long.
Verdict judge_wait(const WaitAssertion& wait, const Judged& judged, const RunResult& result) {
  const Duration seen = judged.waits.percentile(wait.percentile);
  Verdict found = verdict("assertAcquireWait", seen <= wait.at_most,
                          fmt::format("{} of 100 callers answered within {}", wait.percentile,
                                      duration_text(wait.at_most)),
                          readable_time(seen));
  for (std::size_t i = 0; i < judged.waits_of.size() && !found.holds; ++i) {
    if (judged.waits_of[i].percentile(wait.percentile) > wait.at_most)
      found.processes.push_back(result.services[i].name);
  }
  return found;
}

// A fault from which the run had no time to recover is not judged.
Verdict judge_recovery(Duration within, const RunResult& result) {
  const std::string expected = fmt::format(
      "every process at its target within {} of each fault's end", duration_text(within));
  const FaultMark* slowest = nullptr;
  for (const FaultMark& fault : result.faults) {
    if (fault.until >= result.duration - within && !fault.recovered_after) continue;
    const auto time = [](const FaultMark& f) {
      return f.recovered_after.value_or(Duration::max());
    };
    if (slowest == nullptr || time(fault) > time(*slowest)) slowest = &fault;
  }
  if (slowest == nullptr)
    return verdict("assertRecoverWithin", true, expected, "no fault to judge");
  const std::string which = fmt::format("{} at {}", slowest->kind, readable_time(slowest->at));
  if (!slowest->recovered_after) {
    return verdict("assertRecoverWithin", false, expected, "not at all after " + which,
                   slowest->at);
  }
  return verdict("assertRecoverWithin", *slowest->recovered_after <= within, expected,
                 fmt::format("{} after {}", readable_time(*slowest->recovered_after), which),
                 slowest->until + *slowest->recovered_after);
}

Verdict judge_leases(Duration within, const Judged& judged) {
  const std::string expected =
      fmt::format("the store's counter exact within {} of the last fault, and from then on",
                  duration_text(within));
  if (!judged.leases_exact_at) {
    return verdict("assertLeasesExactWithin", false, expected, "not exact at the end",
                   judged.last_change + within);
  }
  const Duration late = std::max(Duration::zero(), *judged.leases_exact_at - judged.last_change);
  return verdict("assertLeasesExactWithin", late <= within, expected,
                 fmt::format("after {}", readable_time(late)), *judged.leases_exact_at);
}

}  // namespace

std::vector<Verdict> judge(const Assertions& assertions, const Judged& judged,
                           const RunResult& result) {
  std::vector<Verdict> verdicts;
  verdicts.push_back(judge_connects(assertions, judged, result));
  if (assertions.converge_within) {
    verdicts.push_back(judge_convergence(*assertions.converge_within, result));
    if (assertions.stable_for > Duration::zero())
      verdicts.push_back(judge_stability(assertions.stable_for, result));
  }
  if (assertions.zero_empty_events) verdicts.push_back(judge_empty(result));
  if (assertions.max_closures_per_sec) {
    verdicts.push_back(at_most(
        "assertMaxClosurePerSec", static_cast<std::uint64_t>(*assertions.max_closures_per_sec),
        static_cast<std::uint64_t>(judged.most_ended_in_a_second),
        "sessions ended in any second that the scenario did not end", judged.second_of_most_ended));
  }
  if (assertions.max_connections) {
    verdicts.push_back(
        at_most("assertMaxConnections", static_cast<std::uint64_t>(*assertions.max_connections),
                static_cast<std::uint64_t>(result.most_sessions), "sessions at the server"));
  }
  for (const WaitAssertion& wait : assertions.waits)
    verdicts.push_back(judge_wait(wait, judged, result));
  if (assertions.recover_within) {
    verdicts.push_back(judge_recovery(*assertions.recover_within, result));
    if (!verdicts.back().holds) verdicts.back().processes = judged.recovered_late;
  }
  if (assertions.leases_exact_within)
    verdicts.push_back(judge_leases(*assertions.leases_exact_within, judged));
  if (assertions.max_timeouts) verdicts.push_back(judge_timeouts(*assertions.max_timeouts, result));
  return verdicts;
}

}  // namespace forebay::sim
