// Demand against limits: how many connections, connects a second and seconds of filling a number of
// processes needs, and what of that the cluster allows. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/config/configuration.hpp"
#include "forebay/doctor/finding.hpp"

namespace forebay::doctor {

struct Demand {
  int connections = 0;  // of one process at most
  int target = 0;       // of one process at the start
  int processes = 1;
  bool is_assumed = false;  // nobody said how many processes there are

  std::optional<int> limit;  // of all processes together; none: not known
  std::string limit_from;    // which limit that is, for people

  // Connects a second and at once; 0: no limit. Shared by all processes, or of each.
  double rate = 0;
  int burst = 0;
  bool is_rate_shared = false;
  // What the server allows all of them together, if it is known.
  double server_rate = 0;
  int server_burst = 0;

  Duration life{};  // after which a connection is replaced, on average
  Duration fill_limit{};
};

// What one line of the table says.
struct DemandRow {
  int processes = 0;
  std::int64_t connections = 0;
  std::optional<double> of_limit;  // 1: all of it
  double churn = 0;                // connects a second for replacement
  std::optional<double> of_rate;
  std::optional<Duration> fill;  // until all of them have their target ready; none: never
};

// What the configuration says of it; processes and the limit of a PostgreSQL are the caller's.
Demand demand_of(const Configuration& configuration);

DemandRow demand_row(const Demand& demand, int processes);
// One process, those there are, twice as many, and as many as fill 80 % of the limit.
std::vector<DemandRow> demand_table(const Demand& demand);

// "at once", the time, or "never".
std::string fill_text(std::optional<Duration> fill);

Findings check_demand(const Demand& demand);

}  // namespace forebay::doctor
