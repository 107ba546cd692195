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
#include "forebay/base/mutex.hpp"
#include "forebay/core/pool_state.hpp"
#include "forebay/env/signal.hpp"
#include "forebay/pool/budget.hpp"
#include "forebay/pool/connection_slot.hpp"
#include "forebay/pool/leak_report.hpp"
#include "forebay/pool/pooled_connection.hpp"
#include "forebay/pool/statistics.hpp"

namespace forebay {

class Exchange {
 public:
  // The budget may be null.
  Exchange(const PoolRules& rules, Budget* budget, Scheduler& scheduler)
      : scheduler_(scheduler),
        budget_(budget),
        attention_(scheduler),
        state_(rules, budget != nullptr ? &budget->capacity() : nullptr),
        place_(attention_, state_.capacity()) {}
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // True: the process was forked since. Nothing of this may be used there; what is given back or
  // discarded there stays with the parent.
  bool is_in_child() const { return process_.is_in_child(); }

  // Callers. Not in a child.
  ConnectionSlot* try_take(const std::source_location& from);
  // The same for a caller who has been looking since then.
  ConnectionSlot* try_take_again(const std::source_location& from, Instant since);
  // False: a look would probably find nothing. Takes no lock: for threads that look again and
  // again.
  bool may_have_ready() const { return ready_hint_.load(std::memory_order_relaxed) > 0; }
  void count_empty();    // a caller found nothing, and waits
  void note_unserved();  // a caller found nothing, and does not wait
  // True: the waiter stands in line and will be woken, perhaps already is. False: it was resolved
  // at once and will not be woken.
  bool take_or_wait(Waiter& waiter);
  // True: the waiter had not been resolved and has timed out. False: it has been or is being woken.
  bool time_out(Waiter& waiter);
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
      update_hint();
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
  // If a shared budget keeps the pool from opening, it stands in line there, and the supplier looks
  // again when there is room. For tasks of the scheduler.
  void ask_for_room();

  void close(DiscardReason reason);
  void give_up() {
    gives_up_ = true;
    attention_.notify();
  }
  bool gives_up() const { return gives_up_; }
  // Makes room for others of the same budget: see PoolState.
  int shed(int most);
  void set_yields(int yields);
  void resize(const PoolRules& rules);
  void condemn_all(DiscardReason reason);

  Scheduler& scheduler() const { return scheduler_; }
  bool is_closed() const;
  PoolGauges gauges() const;
  PoolStatistics statistics() const;
  std::vector<LeakReport> lent() const;
  // One that this very thread took or used last, the oldest.
  std::optional<LeakReport> lent_to_this_thread() const;
  const Budget* budget() const { return budget_; }  // null: it shares none
  void audit() const;

 private:
  // The lock may be held for ever there, by a thread that stayed with the parent.
  void refuse_child() const {
    if (is_in_child()) stop_for_misuse(kUsedAfterFork);
  }
  void update_hint() FOREBAY_REQUIRES(mutex_) {
    ready_hint_.store(state_.count(SlotState::ready), std::memory_order_relaxed);
  }
  // Of the callers to whom one is lent at once, the first in each tick of the cheap clock is timed,
  // and stands for the others of that tick: all of them are timed in a quiet pool, and for next to
  // nothing in a busy one.
  bool is_time_to_time(Instant recent) const {
    return kIsMetered && recent != timed_at_.load(std::memory_order_relaxed);
  }
  void note_checkout(bool is_timed, Instant began, Instant recent) FOREBAY_REQUIRES(mutex_);
  bool is_behind_with_resets() const;
  void rest_while_behind() const;
  void place(ConnectionSlot& slot, bool needs_reset);

  const ForkMark process_;
  Scheduler& scheduler_;
  Budget* const budget_;
  Signal attention_;
  std::atomic<int> ready_hint_{0};  // a hint: what it says may be over when it is read
  std::atomic<bool> gives_up_ = false;
  std::atomic<Instant> timed_at_{Instant::min()};  // a hint, too; by the cheap clock
  mutable Mutex mutex_;
  PoolState state_ FOREBAY_GUARDED_BY(mutex_);
  Budget::Place place_;
  bool is_in_line_ = false;  // or has been granted what it stood there for; the scheduler's
};

}  // namespace forebay
