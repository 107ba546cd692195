// Process: one replica of a service over the whole run: its lives one after the other, what they
// did together, and whether it is as well off as it should be.
#pragma once

#include <memory>

#include "forebay/sim/life.hpp"
#include "forebay/sim/result/result.hpp"

namespace forebay::sim {

class Process {
 public:
  Process(WorldParts parts, ServiceSpec spec, int index);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  const ServiceSpec& spec() const { return spec_; }
  int index() const { return index_; }

  // Each does what it can in the state it finds: what is down is not stopped, and so on.
  void start();
  void stop(bool comes_back);  // gracefully
  void crash(bool comes_back);
  void set_skew(Duration skew);
  void set_link(bool is_store_cut, bool is_database_cut);
  bool set_frozen(bool is_frozen);  // true: it goes on
  void set_storms(std::vector<TenantStorm> storms);
  // The world ends.
  void kill();

  bool is_up() const { return life_ != nullptr && !is_stopping_; }
  bool is_wanted() const { return is_wanted_; }  // up, or on its way there again
  bool is_gone() const { return life_ == nullptr; }
  ProcessEnd end() const;  // the state that it is in, if the run ends now
  Duration skew() const { return skew_; }

  // After each of its steps: books what has changed, and checks the promises that hold for one
  // process at every moment.
  void after_step();

  // At each sample: its clients, if it is a proxy.
  void look_at_clients(bool is_world_healthy);
  // At the end: a proxy whose clients have left has nothing of them any more.
  void check_idle() const;

  // As many live connections as it should have, in the pool's eyes and in the server's.
  bool is_at_target() const { return is_at_target_; }
  int open() const { return open_; }
  // When it last had all that it should have, and had it ready.
  Instant last_full() const { return last_full_; }
  int expected_open() const { return expected_open_; }
  std::optional<Instant> started_at() const { return started_at_; }
  std::optional<Instant> converged_at() const { return converged_at_; }
  // The first time that it fell below target within stable_for of its convergence.
  std::optional<Instant> unstable_at() const { return unstable_at_; }
  int open_when_unstable() const { return open_when_unstable_; }

  Sample sample() const;
  PoolCounters counters() const;
  const ClientCrowd* clients() const { return clients_.get(); }  // null: it is no proxy
  std::optional<ClientFigures> client_figures() const;
  const LatencyHistogram& waits() const { return waits_; }
  const Life* life() const { return life_.get(); }
  std::string text() const;

 private:
  void check(const PoolGauges& gauges);
  void track(const PoolGauges& gauges);
  bool is_full(const PoolGauges& gauges) const;
  void end_life();

  WorldParts parts_;
  const ServiceSpec spec_;
  const int index_;
  const std::unique_ptr<ClientCrowd> clients_;
  std::unique_ptr<Life> life_;
  int lives_ = 0;
  bool is_wanted_ = false;
  bool is_stopping_ = false;
  bool comes_back_ = false;
  bool was_drained_ = false;  // or is about to be

  Duration skew_{};
  bool is_store_cut_ = false;
  bool is_database_cut_ = false;
  std::vector<TenantStorm> storms_;
  bool is_frozen_ = false;
  const Life* frozen_life_ = nullptr;
  Instant excused_until_ = kNever;  // its lease may be reaped because it stood still

  PoolCounters past_;  // of lives that have ended
  std::uint64_t past_permit_waits_ = 0;
  std::uint64_t past_stays_ = 0;
  std::uint64_t past_pins_ = 0;
  WorkCounts work_;
  LatencyHistogram waits_;

  const int expected_open_;
  bool is_at_target_ = true;  // nothing is expected of what has not started
  int open_ = 0;
  Instant last_full_{};
  std::optional<Instant> started_at_;
  std::optional<Instant> converged_at_;
  std::optional<Instant> unstable_at_;
  int open_when_unstable_ = 0;
};

}  // namespace forebay::sim
