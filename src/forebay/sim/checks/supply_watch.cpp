#include "forebay/sim/checks/supply_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::sim {
namespace {

// Long enough for a store that loses replies, a backoff that follows, and a few connects.
Duration patience_of(const Scenario& scenario) {
  const CoordinationSpec& coordination = scenario.coordination;
  Duration patience = std::chrono::seconds(10);
  const bool is_store_flaky = coordination.lost_replies > 0 || coordination.throttled > 0;
  if (is_store_flaky) patience += 10 * coordination.request_timeout;
  // Where connects are rare, each process has its turn within a few rounds.
  const auto processes = static_cast<double>(sim::processes(scenario).size());
  const double round = processes / scenario.database.connects_per_second;
  patience += Duration(static_cast<std::int64_t>(4e9 * round));
  return patience +
         20 * std::max(scenario.database.connect.median, scenario.database.connect.slowest);
}

}  // namespace

SupplyWatch::SupplyWatch(const WorldParts& parts, std::size_t processes)
    : parts_(parts), patience_(patience_of(parts.scenario)), shortages_(processes) {}

bool SupplyWatch::is_short(const Process& process) const {
  const ServiceSpec& service = process.spec();
  if (!process.is_up() || service.supply != Supply::reservoir || service.tenants.count > 0)
    return false;
  const PoolGauges gauges = process.life()->gauges();
  const bool is_cluster_full =
      parts_.store.has_cap() && parts_.store.active() >= parts_.store.limit();
  return gauges.ready + gauges.cleaning < gauges.target_ready && gauges.approved < gauges.max &&
         !is_cluster_full;
}

void SupplyWatch::look(const Process& process, bool is_world_healthy) {
  Shortage& shortage = shortages_[static_cast<std::size_t>(process.index())];
  const Instant now = parts_.timeline.now();
  const std::uint64_t own = parts_.database.connects_of(process.index());
  const std::uint64_t all = parts_.database.connects();
  const bool is_candidate = is_world_healthy && is_short(process);
  // Callers who come in beats may be gone again between any two looks.
  const bool goes_on = is_candidate && own == shortage.own_connects &&
                       process.last_full() <= shortage.since && shortage.since != kNever;
  if (!goes_on) {
    shortage.since = is_candidate ? now : kNever;
    shortage.own_connects = own;
    shortage.all_connects = all;
    return;
  }
  const Duration lasted = now - shortage.since;
  if (lasted < patience_) return;
  const double seconds = std::chrono::duration<double>(lasted).count();
  const auto used = static_cast<double>(all - shortage.all_connects);
  if (used > seconds * parts_.scenario.database.connects_per_second / 2) return;
  const PoolGauges gauges = process.life()->gauges();
  parts_.book.note_broken(
      Promise::supply, process.index(),
      fmt::format("{} ready of {}, room for more, and no connect for {} in a healthy world",
                  gauges.ready, gauges.target_ready, readable_time(lasted)));
}

}  // namespace forebay::sim
