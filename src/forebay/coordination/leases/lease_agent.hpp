// LeaseAgent: this process's part in a limit of connections that many processes share.
//
// It holds one lease in the store, for as many connections as the process has open or is opening,
// and hands it out one by one. Three tasks work behind it: one trades (asks for more, gives back
// what nobody used for a while), one renews, one reaps what dead processes left behind.
//
// When all want more than there is, everybody has its share (FairShare). A process that is refused
// below its share says in its lease what it wants, and its callers wait until there is room; those
// who have more than theirs let go of what they keep ready, one by one.
//
// Always: what the store has for this process >= in_use(), except for overhang(). What is being
// released counts as gone from the moment the request is sent, what is being acquired only when the
// store has said so. Nothing is handed out on a lease that may have ended, or while the store
// counts more than the limit; and nothing is opened on what was handed out before (stands()).
//
// A lease ends one ttl after its last renewal, by this process's own monotonic clock; reapers wait
// longer by theirs, until the sessions of a dead holder can be gone too. Wall clocks take no part
// in it. Confined to its scheduler.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/coordination/cluster_options.hpp"
#include "forebay/coordination/leases/fair_share.hpp"
#include "forebay/coordination/leases/lease_book.hpp"
#include "forebay/coordination/leases/lease_reaper.hpp"
#include "forebay/coordination/leases/lease_store.hpp"
#include "forebay/coordination/leases/lease_term.hpp"
#include "forebay/coordination/store_contact.hpp"
#include "forebay/coordination/waiting_line.hpp"
#include "forebay/core/backoff.hpp"
#include "forebay/env/cancellation.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/signal.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/pool/admission.hpp"

namespace forebay {

struct LeaseOptions {
  LeaseOptions() : LeaseOptions(ClusterOptions()) {}
  explicit LeaseOptions(const ClusterOptions& cluster);

  // As the cluster's options say.
  std::string lease_id;  // how the names of its leases begin; chance makes them unique
  std::string service;   // for people who look into the store
  int limit;             // connections of the whole cluster
  int min_share;         // of them, what others leave to this process before all share evenly
  Duration ttl;
  // How long the database may go on counting the sessions of a process that died. A holder may
  // have them until its ttl is over, so others reap only after both; see reap_after().
  Duration session_linger;
  Duration request_timeout;
  StoreAbsence on_absence;
  LeaseLoss on_loss;
  // fence: how long before the lease may end on_lost is called, unless it was renewed; connections
  // must be gone by its end.
  Duration fence_before;

  // No session of the database lives longer. Clients of the older kind do not renew their leases:
  // only after this long is it certain that nothing stands behind them.
  Duration longest_session = std::chrono::minutes(65);
  std::function<void()> on_lost;
  // Lets go of one connection that nobody uses. False: there was none. None: nothing is given up.
  std::function<bool()> on_surplus;
  int most_at_once = 100;                            // connections in one request
  Duration release_after = std::chrono::seconds(1);  // unused for this long: given back
  BackoffRule backoff{std::chrono::milliseconds(100), std::chrono::seconds(5), 25};
};

// The silence after which a lease may be reaped. It stands in the lease, so that reapers with other
// settings wait as long.
constexpr Duration reap_after(const LeaseOptions& options) {
  return options.ttl + options.session_linger;
}

class LeaseAgent final : public LeaseSource {
 public:
  // REQUIRES: limit >= 0, most_at_once >= 1, session_linger >= 0, fence_before < ttl * 2 / 3.
  LeaseAgent(Env env, LeaseStore& store, LeaseOptions options);
  LeaseAgent(const LeaseAgent&) = delete;
  LeaseAgent& operator=(const LeaseAgent&) = delete;
  // REQUIRES: never started or closed, and nothing is in use.
  ~LeaseAgent() override;

  void start();
  Task<Result<Lease>> acquire(Instant deadline) override;
  // Nobody is served any more, and all that is unused is released. True: the store holds nothing
  // for this process. False: the deadline passed first, and what is left will be reaped. Its tasks
  // have ended when it answers, at most one request_timeout after the deadline.
  Task<bool> close(Instant deadline);

  int held() const { return book_.held(); }  // in the store, at least
  int in_use() const { return book_.in_use(); }
  int overhang() const { return book_.overhang(); }  // in use, with no lease behind them
  bool is_lost() const { return state_ != State::sound; }
  std::uint64_t losses() const { return book_.losses(); }
  std::uint64_t requests() const { return contact_.requests(); }
  int failures() const { return contact_.failures(); }  // of those, in a row until now
  int limit() const { return options_.limit; }
  // What it may have while others have less than their share; kNoLimit: nobody has.
  int cap() const;
  int active() const;  // the store's counter, when it last spoke of it
  std::uint64_t reaped() const { return reaper_.reaped(); }  // connections, of other processes
  int known_processes() const { return reaper_.known_processes(); }  // 0: not known yet
  const std::string& lease_id() const { return book_.id(); }  // of the lease it has, or would have

 private:
  enum class State : std::uint8_t {
    sound,
    suspended,  // fenced: the lease may end before it is renewed
    lost,       // and not all that is in use is leased anew
  };

  void give_back() noexcept override;
  bool stands(std::uint64_t term) const override;

  // Handing out.
  bool may_hand_out() const;
  bool has_certain_lease() const;
  int local_share() const;
  Lease hand_out();
  void serve();

  // The trading task.
  Task<void> trade();
  Task<bool> send_change();
  void plan_change();
  void plan_release();
  void note_active(int active);
  void settle(const AcquireReply& reply);
  void refuse(const AcquireReply& reply);
  void settle(const ReleaseReply& reply);
  bool is_released() const;

  // The renewing task.
  Task<void> keep();
  Task<void> renew();
  Instant fence_at() const { return term_.ends_at() - options_.fence_before; }
  void suspend();
  void lose(std::string_view seen_by);
  void recover();

  // The sharing task.
  Task<void> share();
  Task<void> announce();
  void look_at(const LeaseListing& listing);
  void wait_for_share();
  bool is_hungry() const;
  bool is_surely_full() const;
  LeaseClaim claim() const;
  Error full(int active) const;

  void note_failure(const Error& error);

  const Env env_;
  LeaseStore& store_;
  const LeaseOptions options_;

  LeaseBook book_;
  LeaseTerm term_;  // of the lease in the book
  StoreContact contact_;
  LeaseReaper reaper_;
  WaitingLine<Lease> line_;
  TaskGroup tasks_;
  Signal trade_news_;
  Signal keep_news_;
  Signal share_news_;
  Condition changed_;  // for close()
  Cancellation stopping_;
  State state_ = State::sound;
  int room_ = 0;  // > 0: the limit leaves this many, and more were wanted
  int active_ = 0;
  Instant active_heard_at_ = Instant::min();
  int excess_ = 0;  // by how many the counter was above the limit when the store last spoke
  Instant surplus_at_ = kNever;
  std::optional<FairShare> fair_;  // by the last look; none: there was none
  int wanted_ = 0;                 // at the last refusal
  Instant hungry_until_ = Instant::min();
  Instant announce_at_ = Instant::min();  // while there is no lease
  bool awaits_room_ = false;              // callers below our share wait until there is room
  Instant ask_again_at_{};                // while they do, unless a look shows some before
  int giving_ = 0;                        // given up, and still in use
  bool is_started_ = false;
  bool is_closing_ = false;
};

}  // namespace forebay
