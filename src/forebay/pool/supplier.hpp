// Supplier: the pool's background loop. It opens, resets, checks and closes; nobody else does.
//
// It asks the state what is due, starts that, and sleeps until something changes: a caller, a
// finished step, or the time the state named. Confined to the pool's scheduler; only what it asks
// of a connection is asked on the loop that used it last, where its socket is watched.
#pragma once

#include "forebay/env/condition.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/pool/gate.hpp"
#include "forebay/pool/pool_log.hpp"

namespace forebay {

class Supplier {
 public:
  Supplier(Env env, Exchange& exchange, Gate& gate, const PoolOptions& options, const PoolLog& log);

  // Ends when the exchange is closed and every connection is gone.
  Task<void> run();

  // True: the initial fill is done. False: the deadline passed first, the warm-up gave up, the pool
  // closed, or the server refuses us for good and that is to end it.
  Task<bool> wait_filled(Instant deadline, InitialFailure on_failure);
  // True: every connection is gone. False: the deadline passed first.
  Task<bool> wait_gone(Instant deadline);

 private:
  void start(PoolWork& work);
  ConnectionSlot& make_slot(PoolState& state, Approval approval);
  Task<void> open_one(ConnectionSlot& slot);
  Task<bool> try_open(ConnectionSlot& slot);
  Task<void> reset_one(ConnectionSlot& slot);
  Task<Result<void>> cancel_and_reset(ConnectionSlot& slot, Instant& deadline);
  Task<bool> prepare(ConnectionSlot& slot, Instant deadline);
  Task<Result<void>> cancel(ConnectionSlot& slot);
  Task<void> check_one(ConnectionSlot& slot);
  Task<void> close_one(ConnectionSlot& slot);
  Task<void> finish_close(ConnectionSlot& slot, DiscardReason reason);
  Task<void> close_and_wait(ConnectionSlot& slot);
  Task<void> hold(ConnectionSlot& slot, Instant give_up_at);
  Task<void> warm_up();
  // What has become of its connections so far.
  struct WarmUp {
    int created = 0;
    int failed = 0;
  };
  Task<bool> warm_up_until_one_fails(WarmUp& warmed);
  void drop(ConnectionSlot& slot);
  Scheduler& home_of(const ConnectionSlot& slot) const;
  void note_failure(const FailedOpen& failed);
  void note_opened();
  void note_filled();
  void log_empty();
  void report(const LeakReport& leak) const;
  void call_before_close(const ConnectionSlot& slot, DiscardReason reason) const;
  void call_on_leak(const LeakReport& leak) const;
  void look_again();

  const Env env_;
  Exchange& exchange_;
  Gate& gate_;
  const PoolOptions& options_;
  const PoolLog& log_;
  TaskGroup tasks_;
  Condition changed_;  // something finished: for those who wait for the fill or the end
  std::uint64_t next_id_ = 1;
  Instant begun_{};
  Instant next_empty_look_ = Instant::min();
  std::uint64_t told_empty_ = 0;  // of the callers who found nothing, those that the log knows of
  bool is_fill_told_ = false;
  bool is_gone_ = false;
};

}  // namespace forebay
