#include "forebay/sim/checks/share_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"
#include "forebay/sim/scenario/service_pool.hpp"

namespace forebay::sim {

// Each round takes a stint, the longest hold, a close and a connect; and each tenant's turn in it a
// permit. Twice that, because chance is not even, and a second.
Duration ShareWatch::patience_of(const Scenario& scenario, const ServiceSpec& service) {
  const DatabaseSpec& database = scenario.database;
  const int budget = shares_of(service.tenants.max_connections).tenants;
  const int rounds = service.tenants.count / budget + 1;
  const Duration round = service.tenants.stint + longest_hold(service.workload) +
                         4 * std::max(database.connect.median, database.connect.slowest) +
                         4 * (database.answer.median + database.answer.spread);
  const auto processes = static_cast<double>(sim::processes(scenario).size());
  const double permits = (service.tenants.count + budget) * processes;
  const Duration for_permits(
      static_cast<std::int64_t>(1e9 * permits / database.connects_per_second));
  return std::chrono::seconds(1) + 2 * (rounds * round + for_permits);
}

void ShareWatch::look(const Process& process, bool is_world_calm) const {
  const bool is_judged = is_world_calm && process.is_up() && process.spec().tenants.count > 0 &&
                         !parts_.store.has_cap();
  if (!is_judged) return;
  const Duration patience = patience_of(parts_.scenario, process.spec());
  const std::string starved = process.life()->starved_tenant(patience);
  if (starved.empty()) return;
  parts_.book.note_broken(
      Promise::order, process.index(),
      fmt::format("{} has had no connection for {} although somebody waits for one", starved,
                  readable_time(patience)));
}

}  // namespace forebay::sim
