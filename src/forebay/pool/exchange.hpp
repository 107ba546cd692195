// Exchange: where connections change hands. PoolState under one lock, and nothing slow
// ever under it.
//
// Every function may be called from any thread. No function waits for the world; give_back() sends
// the first part of a reset, as far as that goes without waiting. Waiters are woken after the lock
// is released, each on its own scheduler or thread.
#pragma once

#include <atomic>
#include <optional>
#include <source_location>
#include <vector>

#include "forebay/base/fork_mark.hpp"
#include "forebay/base/misuse.hpp"
#include "forebay/core/pool_state.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/last_calls.hpp"
#include "forebay/env/loop_group.hpp"
#include "forebay/env/processor.hpp"
#include "forebay/env/signal.hpp"
#include "forebay/pool/budget_place.hpp"
#include "forebay/pool/connection_slot.hpp"
#include "forebay/pool/leak_report.hpp"
#include "forebay/pool/pooled_connection.hpp"
#include "forebay/pool/statistics.hpp"

namespace forebay {

// What a caller who gets nothing is told.
struct Shortage {
  PoolGauges gauges;
  std::optional<LeakReport> longest;  // of what is lent
  std::string last_connect_error;     // empty: the last connect worked
  std::optional<Error> refusal;       // nothing is open: the server refuses us for good
  Duration retry_in{};                // with it
};

class Exchange {
 public:
  // The budget may be null.
  Exchange(const PoolRules& rules, Budget* budget, Scheduler& scheduler)
      : scheduler_(scheduler),
        budget_(budget),
        attention_(scheduler),
        state_(rules, budget != nullptr ? &budget->capacity() : nullptr,
               loops_of(scheduler) + processors()),
        place_(attention_, state_.room().capacity()) {}
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // True: the process was forked since. Nothing of this may be used there; what is given back or
  // discarded there stays with the parent.
  bool is_in_child() const { return process_.is_in_child(); }

  // Homes are the loops of the runtime, where it has several, and then the processors, for threads.
  // That of a scheduler's tasks: kNoHome if it is not of the same runtime, or that has only one.
  int home_of(const Scheduler* scheduler) const {
    const LoopGroup* const group = scheduler_.group();
    const bool is_known = group != nullptr && scheduler != nullptr && scheduler->group() == group;
    return is_known ? scheduler->loop() : kNoHome;
  }
  // That of the task that calls.
  int home_of_task() const {
    return scheduler_.group() == nullptr ? kNoHome : home_of(Scheduler::current());
  }
  // That of the thread that calls, which may be one of a loop.
  int home_of_thread() const {
    const int loop = home_of_task();
    return loop != kNoHome ? loop : loops_of(scheduler_) + processor_here();
  }

  struct Taken {
    ConnectionSlot* slot = nullptr;
    bool calls_supplier = false;  // it has something to do
  };

  // Callers. Not in a child. What was used last at the caller's home is preferred: its socket is in
  // the right loop, or what it needs of the server in the right processor's caches.
  ConnectionSlot* try_take(const std::source_location& from, int home) {
    const Taken taken = take_now(from, home);
    if (taken.calls_supplier) call_supplier();
    return taken.slot;
  }
  // The same for a caller under a lock of its own: if it says so, the supplier is to be called when
  // that lock is free.
  Taken take_now(const std::source_location& from, int home);
  void call_supplier() { attention_.notify(); }
  void note_unserved();  // a caller found nothing, and does not wait
  // A caller found nothing, and waits. True: the waiter stands in line from this moment on and will
  // be woken, perhaps already is. False: it was resolved at once and will not be woken.
  bool take_or_wait(Waiter& waiter);
  // True: the waiter had not been resolved and has timed out. False: it has been or is being woken.
  bool time_out(Waiter& waiter);
  // The same for one that is cancelled.
  bool cancel(Waiter& waiter);
  void give_back(ConnectionSlot& slot, Holder holder);
  void discard(ConnectionSlot& slot, DiscardReason reason);

  // The supplier: decisions about its slots, one lock each. The decision gets the state and a list
  // for the waiters that it resolves.
  template <class Decision>
  void decide(Decision&& decision) FOREBAY_EXCLUDES(mutex_) {
    refuse_child();
    WakeList wakes;
    {
      MutexLock lock(mutex_);
      decision(state_, wakes);
    }
    wake_all(wakes);
  }
  template <class Question>
  auto ask(Question&& question) const FOREBAY_EXCLUDES(mutex_) {
    refuse_child();
    MutexLock lock(mutex_);
    return question(state_);
  }
  Signal& attention() { return attention_; }  // set when the supplier should look
  // The destructor waits for those that have begun.
  LastCalls& last_calls() { return last_calls_; }
  // Room that a shared budget granted and the state did not want. For tasks of the scheduler.
  void return_grants();
  // If a shared budget keeps the pool from opening, it stands in line there, and the supplier looks
  // again when there is room. For tasks of the scheduler.
  void ask_for_room();
  // What the state is about to be told with open_failed().
  void note_failure(const FailedOpen& failed);

  void close(DiscardReason reason);
  void give_up() {
    gives_up_ = true;
    attention_.notify();
  }
  bool gives_up() const { return gives_up_; }
  // Makes room for others of the same budget: see PoolState.
  int shed(int most, DiscardReason reason = DiscardReason::evicted_tenant);
  void set_yields(int yields);
  void resize(const PoolRules& rules);
  void condemn_all(DiscardReason reason);

  Scheduler& scheduler() const { return scheduler_; }
  bool is_closed() const;
  PoolGauges gauges() const;
  PoolStatistics statistics() const;
  Shortage shortage() const;  // costs the same however many are lent
  // What the server said, if nothing is open because it refuses us for good.
  std::optional<Error> refusal() const;
  std::vector<LeakReport> lent() const;
  // One that this very thread took or used last, the oldest.
  std::optional<LeakReport> lent_to_this_thread() const;
  const Budget* budget() const { return budget_; }  // null: it shares none
  void audit() const;

 private:
  static int loops_of(const Scheduler& scheduler) {
    return scheduler.group() == nullptr ? 0 : scheduler.group()->size();
  }
  // The lock may be held for ever there, by a thread that stayed with the parent.
  void refuse_child() const {
    if (is_in_child()) stop_for_misuse(kUsedAfterFork);
  }
  Taken take_timed(const std::source_location& from, int home, Instant recent);
  Slot* take_fresh(const std::source_location& from, int home, Instant recent)
      FOREBAY_REQUIRES(mutex_) {
    Slot* const slot = state_.take_surely_fresh(recent, recent + Scheduler::kRecentLag, from, home);
    return slot != nullptr ? slot : take_exactly(from, home);
  }
  // Where nothing is ready, the time does not matter.
  Slot* take_exactly(const std::source_location& from, int home) FOREBAY_REQUIRES(mutex_) {
    return state_.slots().ready().empty() ? nullptr : state_.take(scheduler_.now(), from, home);
  }
  Taken taken(Slot* slot) FOREBAY_REQUIRES(mutex_) {
    return {static_cast<ConnectionSlot*>(slot), state_.wants_attention()};
  }
  std::string last_connect_error() const;
  bool is_behind_with_resets() const;
  void rest_while_behind() const;
  static void end_loan(ConnectionSlot& slot);
  bool clear(ConnectionSlot& slot, Holder holder);
  void place(ConnectionSlot& slot, bool needs_reset);
  template <class Leave>
  bool leave_line(Leave leave);

  const ForkMark process_;
  Scheduler& scheduler_;
  Budget* const budget_;
  Signal attention_;
  std::atomic<bool> gives_up_ = false;
  std::atomic<Instant> timed_at_{Instant::min()};  // a hint; by the cheap clock
  // Of those who gave back what may have been the last one lent, and of those who retire all.
  LastCalls last_calls_;
  mutable Mutex mutex_;
  PoolState state_ FOREBAY_GUARDED_BY(mutex_);
  mutable Mutex failure_mutex_;  // apart: a text is copied under it
  std::optional<FailedOpen> last_failure_ FOREBAY_GUARDED_BY(failure_mutex_);
  std::optional<FailedOpen> last_refusal_ FOREBAY_GUARDED_BY(failure_mutex_);  // for good
  Budget::Place place_;
  bool is_in_line_ = false;  // or has been granted what it stood there for; the scheduler's
};

}  // namespace forebay
