// Life: one run of a process, from its start to its end. Everything in it is the shipping code, but
// for the database's driver, the callers and the network to the store.
//
// It ends in one of two ways. Gracefully: the callers finish, the pools close, the leases go back.
// Or it dies: from that instant nothing of it reaches the world, and what is left is taken apart by
// itself, off the timeline.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "forebay/coordination/lease_agent.hpp"
#include "forebay/coordination/rate_agent.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/sim/surroundings.hpp"
#include "forebay/sim/workload.hpp"

namespace forebay::sim {

class Life {
 public:
  // The spec outlives it.
  Life(Surroundings around, const ServiceSpec& spec, int process, int number, Duration skew,
       WorkCounts& work, LatencyHistogram& waits);
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;
  ~Life();  // REQUIRES: has_ended()

  void start();
  void begin_end();  // gracefully; has_ended() some time later
  void die();        // has_ended() at once
  bool has_ended() const { return has_ended_; }

  // Faults.
  void set_skew(Duration skew) { wall_clock_.set_skew(skew); }
  void set_link(bool is_store_cut, bool is_database_cut);
  void set_frozen(bool is_frozen);  // REQUIRES: it has not ended
  void set_storms(const std::vector<TenantStorm>& storms) { workload_->set_storms(storms); }

  // A tenant that has no connection, and for which somebody has waited so long while nobody was
  // served; empty: there is none.
  std::string starved_tenant(Duration patience) const;

  // Sums over its pools.
  PoolGauges gauges() const;
  // As gauges(), but with many pools only what their budget knows: for every step.
  PoolGauges quick_gauges() const;
  PoolCounters counters() const;
  void check_deadlines();
  void audit() const;
  std::string text() const;

  int lease_overhang() const { return leases_ ? leases_->overhang() : 0; }
  // What the store has for this life.
  int leases_in_store() const {
    return leases_ ? around_.store.held_under(leases_->lease_id()) : 0;
  }
  std::uint64_t permit_waits() const { return permits_ ? permits_->waits() : 0; }

 private:
  Task<void> run();
  Task<void> end();
  class TenantDatabases;
  PoolOptions own_pool_options() const;
  PoolSharing sharing();
  void make_pool();
  void make_tenants();
  void add_place(std::unique_ptr<CallerPlace> place);
  LeaseOptions lease_options(int number);
  RateOptions rate_options();

  Surroundings around_;
  const ServiceSpec& spec_;
  const int process_;
  SimScheduler scheduler_;
  SeededRandom random_;
  SimWallClock wall_clock_;
  const Env env_{scheduler_, random_, wall_clock_};
  Link link_;
  SimConnector connector_;
  const std::unique_ptr<StoreLink> store_;
  std::optional<LeaseAgent> leases_;
  std::optional<RateAgent> permits_;
  std::optional<Pool> pool_;  // this, or tenants
  std::unique_ptr<TenantDatabases> databases_;
  std::optional<TenantPools> tenants_;
  std::vector<std::unique_ptr<CallerPlace>> places_;  // one, or one for each tenant
  std::vector<std::unique_ptr<CallerWatch>> watches_;
  std::optional<Workload> workload_;
  std::size_t next_watch_ = 0;
  bool is_ending_ = false;
  bool has_ended_ = false;
};

}  // namespace forebay::sim
