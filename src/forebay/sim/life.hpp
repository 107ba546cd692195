// Life: one run of a process, from its start to its end. Everything in it is the shipping code, put
// together as it ships, but for the database's driver, the callers and the network to the store: a
// ClusterMember has the agents, and its pools are made with what that shares.
//
// It ends in one of two ways. Gracefully: the callers finish, the pools close, the leases go back.
// Or it dies: from that instant nothing of it reaches the world, and what is left is taken apart by
// itself, off the timeline.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "forebay/coordination/cluster_member.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/sim/proxies/client_crowd.hpp"
#include "forebay/sim/proxies/sim_proxy.hpp"
#include "forebay/sim/workload.hpp"
#include "forebay/sim/world_parts.hpp"

namespace forebay::sim {

class Life {
 public:
  // The spec outlives it.
  Life(WorldParts parts, const ServiceSpec& spec, int process, int number, Duration skew,
       WorkCounts& work, LatencyHistogram& waits);
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;
  ~Life();  // REQUIRES: has_ended()

  // Of a proxy: they outlive it.
  void set_clients(ClientCrowd* clients) { clients_ = clients; }

  void start();
  void begin_end();  // gracefully; has_ended() some time later
  void die();        // has_ended() at once
  bool has_ended() const { return has_ended_; }

  // Faults.
  void set_skew(Duration skew) { wall_clock_.set_skew(skew); }
  void set_link(bool is_store_cut, bool is_database_cut);
  void set_frozen(bool is_frozen);  // REQUIRES: it has not ended
  void set_storms(const std::vector<TenantStorm>& storms) { workload_->set_storms(storms); }

  // A tenant that has no connection, and for which somebody has waited beyond `patience` while
  // nobody was served; empty: there is none.
  std::string starved_tenant(Duration patience) const;

  // Sums over its pools.
  PoolGauges gauges() const;
  // As gauges(), but with many pools only what their budget knows: for every step.
  PoolGauges quick_gauges() const;
  PoolCounters counters() const;
  // Of many tenants one at a time: each has its turn long before a sample is over.
  void check_deadlines() {
    watches_[next_watch_]->check_deadlines();
    next_watch_ = next_watch_ + 1 < watches_.size() ? next_watch_ + 1 : 0;
  }
  void audit() const;
  std::string text() const;

  const SimProxy* proxy() const { return proxy_ ? &*proxy_ : nullptr; }  // null: it is none

  int lease_overhang() const { return member_ ? member_->overhang() : 0; }
  // What the store has for this life.
  int leases_in_store() const {
    return member_ ? parts_.store.held_under(member_->statistics().lease_id) : 0;
  }
  std::uint64_t permit_waits() const { return member_ ? member_->permit_waits() : 0; }

 private:
  Task<void> run();
  Task<void> end();
  class TenantDatabases;
  void join_cluster(int number);
  PoolOptions own_pool_options() const;
  PoolSharing sharing();
  void make_pool();
  void make_tenants();
  void make_proxy(std::vector<LatencyHistogram*> waits);
  void add_place(std::unique_ptr<CallerPlace> place);

  WorldParts parts_;
  const ServiceSpec& spec_;
  const int process_;
  SimLoops loops_;
  SimScheduler& scheduler_ = loops_.first();
  SeededRandom random_;
  SimWallClock wall_clock_;
  const Env env_{scheduler_, random_, wall_clock_};
  Link link_;
  SimConnector connector_;
  const std::unique_ptr<StoreLink> store_;
  std::optional<ClusterMember> member_;  // none: the process believes that it is alone
  std::optional<Pool> pool_;             // this, or tenants, or a proxy
  std::unique_ptr<TenantDatabases> databases_;
  std::optional<TenantPools> tenants_;
  std::vector<std::unique_ptr<CallerPlace>> places_;  // one, or one for each tenant
  std::vector<std::unique_ptr<CallerWatch>> watches_;
  std::optional<SimProxy> proxy_;
  Pool* the_pool_ = nullptr;  // its own or the proxy's; null: there are tenants
  ClientCrowd* clients_ = nullptr;
  std::optional<Workload> workload_;
  TaskGroup starting_;
  std::size_t next_watch_ = 0;
  bool is_ending_ = false;
  bool has_ended_ = false;
};

}  // namespace forebay::sim
