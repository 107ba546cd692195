// NodeLease: one node number of 1,024 for this process alone, for the ids that it makes.
//
// It claims a number that nobody has, renews it in the background, and gives it back at its end. A
// number whose holder was silent for a whole ttl is taken over, as leases of connections are reaped
// (SilenceWatch). A holder counts its ttl from before it sent its last renewal (LeaseTerm): it
// stops using the number before anybody else may have it, and goes on when it has been renewed, or
// with another.
//
// Ids bear only times that were reserved in the store before, and the next holder begins after
// them. So no id is made twice, however wrong the wall clocks are and however long a thread stands
// still between asking for the number and using it.
//
// term() and want_later() may be called from any thread; the rest is confined to its scheduler.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/coordination/cluster_options.hpp"
#include "forebay/coordination/leases/lease_term.hpp"
#include "forebay/coordination/leases/silence_watch.hpp"
#include "forebay/coordination/nodes/node_store.hpp"
#include "forebay/coordination/store_contact.hpp"
#include "forebay/core/backoff.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/signal.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/ids/node_source.hpp"

namespace forebay {

struct NodeLeaseOptions {
  NodeLeaseOptions() : NodeLeaseOptions(ClusterOptions()) {}
  explicit NodeLeaseOptions(const ClusterOptions& cluster);

  // As the cluster's options say.
  std::string service;  // for people who look into the store
  Duration ttl;
  Duration request_timeout;
  Duration max_ahead;  // as the SnowflakeOptions of its generator

  BackoffRule backoff{std::chrono::milliseconds(100), std::chrono::seconds(5), 25};
};

class NodeLease final : public NodeSource {
 public:
  NodeLease(Env env, NodeStore& store, NodeLeaseOptions options);
  NodeLease(const NodeLease&) = delete;
  NodeLease& operator=(const NodeLease&) = delete;
  ~NodeLease() override = default;  // REQUIRES: never started, or closed

  void start();
  // Until it has a number, and the clock is not more than max_ahead before the first time of its
  // term: until ids can be made. Errors: timed_out, which says why they cannot, and closed.
  Task<Result<int>> wait_for_node(Instant deadline);
  // Gives the number back; term() has none from now on. True: nobody has the number now; its record
  // stays, for its times. False: the deadline passed first, and others may take the number over
  // when a ttl has passed. It ends at most one request_timeout after the deadline.
  Task<bool> close(Instant deadline);

  // Takes a lock, for as long as it takes to copy what is seen.
  Result<NodeTerm> term() const override;
  void want_later() override;

  std::uint64_t losses() const { return losses_; }  // numbers that others have taken over

 private:
  // The number that the store has for this process, for all we know.
  struct Held {
    NodeTerm term;
    std::string name;         // as holder
    std::int64_t asked = 0;   // the latest time that any request named
    bool is_certain = false;  // false: the claim had no answer
  };

  Task<void> run();
  Task<void> find();
  std::vector<NodeRecord> choose(const std::vector<NodeRecord>& records);
  Task<bool> claim(NodeRecord record);
  Task<void> renew();
  Task<bool> give_back(Instant deadline);
  std::int64_t milliseconds_early(std::int64_t time) const;
  void lose();
  void publish();
  void withdraw();
  void log_trouble(std::string trouble);
  void note_failure(const Error& error, const char* what);
  Instant next() const;
  std::int64_t wall_milliseconds() const;

  const Env env_;
  NodeStore& store_;
  const NodeLeaseOptions options_;
  StoreContact contact_;
  SilenceWatch silence_;  // of those that others have
  TaskGroup tasks_;
  Signal news_;
  Condition changed_;  // for wait_for_node()
  std::optional<Held> held_;
  LeaseTerm term_;                       // of what is held
  Instant find_at_ = Instant::min();     // when to look for one, if none is
  std::atomic<bool> is_wanted_ = false;  // somebody wants later times than the term has
  bool is_started_ = false;
  bool is_stopped_ = false;
  std::uint64_t losses_ = 0;

  // What other threads see.
  struct Seen {
    std::optional<NodeTerm> term;
    Instant end{};
    bool is_closed = false;
    std::string trouble = "none has been claimed yet";
  };
  mutable Mutex mutex_;
  Seen seen_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay
