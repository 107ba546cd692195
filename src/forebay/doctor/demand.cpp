#include "forebay/doctor/demand.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "forebay/config/rules.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/postgres/driver/server_profile.hpp"

namespace forebay::doctor {
namespace {

// Beyond it, rolling deployments and bursts meet the limit.
constexpr double kPrudentShare = 0.8;
// Replacement that takes more of the rate leaves too little for growth and restarts.
constexpr double kPrudentChurn = 0.5;
constexpr Duration kPatience = std::chrono::minutes(1);

Duration fill_time(std::int64_t connections, double rate, int burst) {
  if (rate <= 0 || connections <= burst) return Duration();
  const double seconds = static_cast<double>(connections - burst) / rate;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

double total_rate(const Demand& demand, int processes) {
  const double ours = demand.is_rate_shared ? demand.rate : demand.rate * processes;
  if (ours == 0 || demand.server_rate == 0) return std::max(ours, demand.server_rate);
  return std::min(ours, demand.server_rate);
}

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::string connections_text(const Demand& demand, const DemandRow& row) {
  return fmt::format("{} {}{} with up to {} connections each may want {} of {}, {}",
                     demand.processes, demand.processes == 1 ? "process" : "processes",
                     demand.is_assumed ? " (assumed; --processes says how many)" : "",
                     demand.connections, row.connections, *demand.limit, demand.limit_from);
}

void check_connections(const Demand& demand, const DemandRow& row, Notebook& notebook) {
  if (!demand.limit) {
    notebook.note("the limit of connections is not known, so demand is not compared with it");
    return;
  }
  const std::string what =
      fmt::format("{} ({})", connections_text(demand, row), percent(*row.of_limit));
  const std::string advice =
      "lower pool.max (FOREBAY_POOL_MAX) or reservoir.target_ready (DSQL_RESERVOIR_TARGET_READY), "
      "run fewer processes, or raise the limit";
  if (*row.of_limit > 1) {
    notebook.error(what, "those who come last get no connection", advice);
  } else if (*row.of_limit > kPrudentShare) {
    notebook.warning(what, "above 80 % bursts and rolling deployments meet the limit", advice);
  } else {
    notebook.ok(what);
  }
}

void check_churn(const Demand& demand, const DemandRow& row, Notebook& notebook) {
  if (!row.of_rate) return;
  const std::string what = fmt::format(
      "replacing {} connections every {} takes {:.2f} connects a second, {} of the rate",
      row.connections, readable_time(demand.life), row.churn, percent(*row.of_rate));
  const std::string advice =
      "increase the lifetime (reservoir.base_lifetime, DSQL_RESERVOIR_BASE_LIFETIME), reduce the "
      "guard window, or keep fewer connections";
  if (*row.of_rate > 1) {
    notebook.error(what, "connections end faster than they can be replaced", advice);
  } else if (*row.of_rate > kPrudentChurn) {
    notebook.warning(what, "little of the rate is left for restarts and growth", advice);
  } else {
    notebook.ok(what);
  }
}

void check_rates(const Demand& demand, Notebook& notebook) {
  if (demand.is_rate_shared || demand.server_rate == 0) return;
  const double wanted = demand.rate * demand.processes;
  if (wanted <= demand.server_rate && demand.rate > 0) return;
  notebook.warning(
      demand.rate > 0
          ? fmt::format("{} processes may connect at {} a second each, {} together; the cluster "
                        "allows {}",
                        demand.processes, demand.rate, wanted, demand.server_rate)
          : fmt::format("connects are not limited; the cluster allows {} a second",
                        demand.server_rate),
      "connects above the cluster's rate are refused (53400)",
      "share one rate (rate.enabled, DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED=true), or lower "
      "pool.connect_rate (DSQL_CONNECTION_RATE_LIMIT)");
}

void check_fill(const Demand& demand, const DemandRow& all, Notebook& notebook) {
  if (demand.target == 0) return;
  const std::optional<Duration> alone = demand_row(demand, 1).fill;
  const std::string what =
      fmt::format("one process has its {} connections {}, all {} have theirs {}", demand.target,
                  fill_text(alone), demand.processes, fill_text(all.fill));
  if (!alone || !all.fill) {
    notebook.warning(fmt::format("{}: there are only {}", what, *demand.limit),
                     "those who come last start with what is left, and their callers wait",
                     "keep fewer ready (reservoir.target_ready, DSQL_RESERVOIR_TARGET_READY), run "
                     "fewer processes, or raise the limit");
  } else if (alone > kPatience || alone > demand.fill_limit) {
    notebook.warning(
        fmt::format("{} at the configured rate", what),
        fmt::format("the start waits for {} at most and then serves with what it has",
                    duration_text(demand.fill_limit)),
        "increase the rate (DSQL_CONNECTION_RATE_LIMIT, or rate.limit if it is shared), or reduce "
        "reservoir.target_ready (DSQL_RESERVOIR_TARGET_READY)");
  } else if (all.fill > kPatience) {
    notebook.note(what, "a restart of all at once is slow",
                  "restart one process at a time, and wait for its initial fill in between");
  } else {
    notebook.ok(what);
  }
}

}  // namespace

Demand demand_of(const Configuration& configuration) {
  const PoolOptions pool = config::pool_at_server(configuration);
  const Result<postgres::ConnectionString> target = configuration.database.connection();
  const postgres::ServerProfile profile =
      postgres::ServerProfile::for_host(target ? target->host() : "");
  Demand demand;
  demand.connections = *pool.size.max;
  demand.target = pool.supply == Supply::reservoir
                      ? pool.size.target_ready.value_or(*pool.size.max)
                      : std::max(pool.size.min_idle, *pool.size.keep_open);
  demand.rate = *pool.connect_rate;
  demand.burst = *pool.connect_burst;
  if (profile.connect_rate) {
    demand.server_rate = profile.connect_rate->per_second;
    demand.server_burst = static_cast<int>(profile.connect_rate->burst);
  }
  if (profile.connection_limit) {
    demand.limit = static_cast<int>(*profile.connection_limit);
    demand.limit_from = "what a cluster of Aurora DSQL allows";
  }
  if (const auto& cluster = configuration.cluster) {
    if (!cluster->lease_table.empty()) {
      demand.limit = cluster->limit;
      demand.limit_from = "the limit that all processes share";
    }
    if (!cluster->rate_table.empty()) {
      demand.is_rate_shared = true;
      demand.rate = cluster->connects_per_second;
      demand.burst = cluster->rate_mode == RateMode::window ? 0 : cluster->burst;
    }
  }
  const Duration longest = pool.server_limit == Duration::max()
                               ? Duration::max()
                               : pool.server_limit - pool.longest_transaction;
  demand.life = std::max<Duration>(std::min(*pool.lifetime, longest) - pool.guard_window,
                                   std::chrono::seconds(1));
  demand.fill_limit = pool.initial_fill_limit;
  return demand;
}

DemandRow demand_row(const Demand& demand, int processes) {
  DemandRow row;
  row.processes = processes;
  row.connections = std::int64_t{demand.connections} * processes;
  const auto connections = static_cast<double>(row.connections);
  if (demand.limit && *demand.limit > 0) row.of_limit = connections / *demand.limit;
  if (demand.life > Duration())
    row.churn = connections / std::chrono::duration<double>(demand.life).count();
  if (const double rate = total_rate(demand, processes); rate > 0) row.of_rate = row.churn / rate;
  const std::int64_t wanted = std::int64_t{demand.target} * processes;
  const Duration by_us =
      fill_time(demand.is_rate_shared ? wanted : demand.target, demand.rate, demand.burst);
  if (!demand.limit || wanted <= *demand.limit)
    row.fill = std::max(by_us, fill_time(wanted, demand.server_rate, demand.server_burst));
  return row;
}

std::vector<DemandRow> demand_table(const Demand& demand) {
  std::set<int> processes{1, demand.processes, demand.processes * 2};
  if (demand.limit && demand.connections > 0) {
    const int most = static_cast<int>(*demand.limit * kPrudentShare) / demand.connections;
    if (most > 0) processes.insert(most);
  }
  std::vector<DemandRow> rows;
  rows.reserve(processes.size());
  for (const int count : processes) rows.push_back(demand_row(demand, count));
  return rows;
}

std::string fill_text(std::optional<Duration> fill) {
  if (!fill) return "never";
  return *fill == Duration() ? "at once" : "after " + readable_time(*fill);
}

Findings check_demand(const Demand& demand) {
  Notebook notebook("demand");
  const DemandRow row = demand_row(demand, demand.processes);
  check_connections(demand, row, notebook);
  check_churn(demand, row, notebook);
  check_rates(demand, notebook);
  check_fill(demand, row, notebook);
  return notebook.take();
}

}  // namespace forebay::doctor
