// Judging a run by the assertions of its scenario.
#pragma once

#include "forebay/core/latency_histogram.hpp"
#include "forebay/sim/result/result.hpp"
#include "forebay/sim/scenario/scenario.hpp"

namespace forebay::sim {

// What the verdicts need beyond the result.
struct Judged {
  int most_ended_in_a_second = 0;  // that the scenario did not order itself
  Duration second_of_most_ended{};
  Duration busiest_second{};
  Duration last_change{};                   // the end of the last fault
  std::optional<Duration> leases_exact_at;  // since when the store's counter has been exact
  LatencySnapshot waits;
  std::vector<LatencySnapshot> waits_of;    // each process, in the order of the result
  std::vector<std::string> recovered_late;  // processes, after some fault
};

// What is about processes names those that failed it.
std::vector<Verdict> judge(const Assertions& assertions, const Judged& judged,
                           const RunResult& result);

}  // namespace forebay::sim
