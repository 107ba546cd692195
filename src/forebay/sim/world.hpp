// World: the database, the store, the processes and what befalls them, on one timeline; the
// promises are checked after every event.
#pragma once

#include "forebay/base/log.hpp"
#include "forebay/sim/checks/recovery_watch.hpp"
#include "forebay/sim/checks/share_watch.hpp"
#include "forebay/sim/checks/supply_watch.hpp"
#include "forebay/sim/director.hpp"
#include "forebay/sim/proxies/wire_side.hpp"
#include "forebay/sim/run.hpp"
#include "forebay/sim/tampering.hpp"

namespace forebay::sim {

class World {
 public:
  World(const Scenario& scenario, Tampering& tampering);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  RunResult run(RunWatch* watch);

 private:
  Task<void> take_samples(RunWatch* watch);
  void sample();
  void after_step(const SimScheduler& scheduler);
  std::unique_ptr<WireSide> make_wires();
  bool is_healthy() const;
  void check_cluster();
  void watch_rate();
  bool is_cap_waived(std::uint64_t refused) const;
  void check_everyone();
  bool is_lease_count_exact() const;
  void finish(RunResult& result);
  void describe_breach(RunResult& result);
  std::string state_text(int process) const;

  const log::Mute mute_;  // what happens to simulated pools is in the result
  const Scenario scenario_;
  Trace trace_;
  PromiseBook book_;
  Timeline timeline_;
  SimScheduler scheduler_;  // of the director and of the samples
  LatencyHistogram waits_;
  std::vector<std::size_t> twin_of_;
  std::vector<ServiceSpec> specs_;  // of the processes, twins included
  SimDatabase database_;
  SimStore store_;
  const Duration jitter_;                  // of connects
  const std::unique_ptr<WireSide> wires_;  // none: there are no proxies
  WorldParts parts_;
  std::vector<std::unique_ptr<Process>> processes_;
  Director director_;
  RecoveryWatch recoveries_;
  SupplyWatch supply_;
  ShareWatch shares_;

  std::uint64_t events_ = 0;
  bool is_over_ = false;
  std::optional<Duration> leases_exact_at_;
  std::uint64_t connects_before_ = 0;  // the last sample
  std::uint64_t refused_before_ = 0;
  std::uint64_t refused_by_cap_ = 0;  // so far
  Instant rate_free_until_ = Instant::min();
  std::uint64_t ended_before_ = 0;
  RunResult result_;
};

}  // namespace forebay::sim
