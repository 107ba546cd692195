#include "forebay/pool/exchange.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "forebay/env/thread_parker.hpp"

namespace forebay {
namespace {

constexpr int kTurnsAtRest = 64;
constexpr Duration kLongestRest = std::chrono::milliseconds(2);

PoolGauges gauges_of(const PoolState& state) {
  PoolGauges gauges;
  gauges.max = state.rules().max;
  gauges.target_ready = state.rules().supply.target();
  gauges.ready = state.count(SlotState::ready);
  gauges.lent = state.count(SlotState::lent);
  gauges.cleaning = state.cleaning();
  gauges.opening = state.count(SlotState::opening);
  gauges.closing = state.count(SlotState::discarded) + state.count(SlotState::closing);
  gauges.held = state.held();
  gauges.approved = state.approved();
  gauges.waiters = state.waiters();
  gauges.lacks_room = state.lacks_room();
  return gauges;
}

LeakReport report_of(const Slot& slot, Instant now) {
  LeakReport report;
  report.connection_id = slot.id;
  report.taken_from = slot.taken_from;
  report.held = now - slot.taken_at;
  return report;
}

}  // namespace

Exchange::~Exchange() {
  if (budget_ == nullptr) return;
  budget_->leave_line(place_);
  MutexLock lock(mutex_);
  state_.capacity().return_grants();
}

// The cheap clock decides unless the answer depends on the last few milliseconds.
ConnectionSlot* Exchange::try_take(const std::source_location& from) {
  const Instant recent = scheduler_.recent_now();
  const bool is_timed = is_time_to_time(recent);
  const Instant began = is_timed ? scheduler_.now() : recent;
  bool needs_attention = false;
  Slot* slot = nullptr;
  {
    MutexLock lock(mutex_);
    slot = state_.take_surely_fresh(recent, recent + Scheduler::kRecentLag, from);
    if (slot == nullptr) slot = state_.take(scheduler_.now(), from);
    if (slot != nullptr) note_checkout(is_timed, began, recent);
    update_hint();
    needs_attention = state_.wants_attention();
  }
  if (needs_attention) attention_.notify();
  return static_cast<ConnectionSlot*>(slot);
}

ConnectionSlot* Exchange::try_take_again(const std::source_location& from, Instant since) {
  const Instant now = scheduler_.now();
  MutexLock lock(mutex_);
  Slot* const slot = state_.take(now, from);
  if (slot != nullptr) state_.note_ready_time(now - since);
  update_hint();
  if (state_.wants_attention()) attention_.notify();
  return static_cast<ConnectionSlot*>(slot);
}

void Exchange::note_checkout(bool is_timed, Instant began, Instant recent) {
  if constexpr (!kIsMetered) return;
  if (!is_timed) {
    state_.note_same_ready_time();
    return;
  }
  state_.note_ready_time(scheduler_.now() - began);
  timed_at_.store(recent, std::memory_order_relaxed);
}

void Exchange::count_empty() {
  MutexLock lock(mutex_);
  state_.count_empty();
}

void Exchange::note_unserved() {
  refuse_child();
  MutexLock lock(mutex_);
  state_.note_unserved();
  attention_.notify();
}

bool Exchange::take_or_wait(Waiter& waiter) {
  bool is_queued = false;
  {
    MutexLock lock(mutex_);
    if (state_.is_closed()) {
      waiter.outcome = WaitOutcome::closed;
    } else if (Slot* slot = state_.take(scheduler_.now(), waiter.from)) {
      state_.note_ready_time(scheduler_.now() - waiter.since);
      waiter.slot = slot;
      waiter.outcome = WaitOutcome::granted;
    } else {
      state_.add_waiter(waiter);
      is_queued = true;
    }
  }
  attention_.notify();  // there is demand to answer
  return is_queued;
}

bool Exchange::time_out(Waiter& waiter) {
  MutexLock lock(mutex_);
  if (!state_.time_out(waiter)) return false;
  // It may have been the one for whom the pool stands in line.
  if (state_.lacks_room() && state_.waiters() == 0) attention_.notify();
  return true;
}

void Exchange::give_back(ConnectionSlot& slot, Holder holder) {
  if (is_in_child()) return;  // the session is the parent's
  const bool needs_cancel = slot.connection->needs_cancel();
  if (!slot.connection->is_usable() && !needs_cancel) {
    discard(slot, DiscardReason::broken);
    return;
  }
  if (needs_cancel) {
    place(slot, true);  // cancelled and cleared in the background
    return;
  }
  if (slot.connection->needs_reset()) {
    slot.connection->begin_reset();
    const bool may_rest = holder == Holder::thread && !scheduler_.is_current_thread();
    if (may_rest && is_behind_with_resets()) {
      rest_while_behind();
      slot.connection->begin_reset();  // its answer has often come meanwhile
    }
    if (!slot.connection->is_usable()) {
      discard(slot, DiscardReason::reset_failed);
      return;
    }
  }
  const bool needs_reset = slot.connection->needs_reset();
  if (!needs_reset) {
    MutexLock lock(mutex_);
    const bool is_ready = state_.give_back_to_ready(slot);
    update_hint();
    if (is_ready) return;
  }
  place(slot, needs_reset);
}

// Threads that use connections faster than one loop can clean them would drain the pool into its
// cleaning. When more are being cleaned than are ready, each lets others have the processor for a
// moment, and then clears its own if the server has answered. It waits for nobody.
void Exchange::rest_while_behind() const {
  Instant end = kNever;
  for (int turn = 0; turn < kTurnsAtRest && is_behind_with_resets(); ++turn) {
    const Instant now = scheduler_.now();
    if (turn == 0) end = now + kLongestRest;
    if (now >= end) return;
    ThreadParker::offer_turn();
  }
}

bool Exchange::is_behind_with_resets() const {
  return ask(
      [](const PoolState& state) { return state.cleaning() > state.count(SlotState::ready); });
}

void Exchange::place(ConnectionSlot& slot, bool needs_reset) {
  WakeList wakes;
  {
    MutexLock lock(mutex_);
    state_.give_back(slot, scheduler_.now(), needs_reset, wakes);
    update_hint();
    // Under the lock: this may have been the last one lent, and the supplier, once it can see that,
    // may end the pool before another line of ours has run.
    if (state_.wants_attention()) attention_.notify();
  }
  wake_all(wakes);
}

void Exchange::discard(ConnectionSlot& slot, DiscardReason reason) {
  if (is_in_child()) return;
  MutexLock lock(mutex_);
  state_.discard_lent(slot, reason);
  // One broken connection is often the first of many: the others are asked before they are lent.
  const bool is_lost = reason == DiscardReason::broken || reason == DiscardReason::reset_failed;
  if (is_lost) state_.suspect_all(scheduler_.now());
  attention_.notify();  // under the lock, as in place()
}

void Exchange::ask_for_room() {
  if (budget_ == nullptr) return;
  const std::optional<RoomNeed> need =
      ask([](const PoolState& state) { return state.room_need(); });
  if (need) {
    budget_->stand_in_line(place_, *need);
  } else if (is_in_line_) {
    budget_->leave_line(place_);
  }
  is_in_line_ = need.has_value();
}

void Exchange::close(DiscardReason reason) {
  decide([reason](PoolState& state, WakeList& wakes) { state.close(wakes, reason); });
  attention_.notify();
}

int Exchange::shed(int most) {
  int shed = 0;
  decide([&](PoolState& state, WakeList&) { shed = state.shed(most); });
  if (shed > 0) attention_.notify();
  return shed;
}

void Exchange::set_yields(int yields) {
  decide([yields](PoolState& state, WakeList&) { state.set_yields(yields); });
}

void Exchange::resize(const PoolRules& rules) {
  refuse_child();
  {
    MutexLock lock(mutex_);
    state_.resize(rules);
  }
  attention_.notify();
}

void Exchange::condemn_all(DiscardReason reason) {
  decide([reason](PoolState& state, WakeList&) { state.condemn_all(reason); });
  attention_.notify();
}

bool Exchange::is_closed() const {
  return ask([](const PoolState& state) { return state.is_closed(); });
}

PoolGauges Exchange::gauges() const { return ask(&gauges_of); }

PoolStatistics Exchange::statistics() const {
  return ask([](const PoolState& state) {
    PoolStatistics result;
    static_cast<PoolGauges&>(result) = gauges_of(state);
    result.connect_time = state.connect_time();
    if (const std::optional<FailedOpen>& failed = state.last_failure()) {
      result.last_connect_error = failed->text();
      result.last_open_failure = failed->reason;
    }
    result.is_filled = state.is_filled();
    result.is_closed = state.is_closed();
    result.counters = state.counters();
    return result;
  });
}

std::vector<LeakReport> Exchange::lent() const {
  const Instant now = scheduler_.now();
  return ask([now](const PoolState& state) {
    std::vector<LeakReport> result;
    state.for_each_lent([&](const Slot& slot) { result.push_back(report_of(slot, now)); });
    std::ranges::sort(result, std::greater(), &LeakReport::held);
    return result;
  });
}

std::optional<LeakReport> Exchange::lent_to_this_thread() const {
  const Instant now = scheduler_.now();
  return ask([now](const PoolState& state) {
    std::optional<LeakReport> found;
    state.for_each_lent([&](const Slot& slot) {
      const void* const user =
          static_cast<const ConnectionSlot&>(slot).user.load(std::memory_order_relaxed);
      if (user != thread_mark() || (found && found->held >= now - slot.taken_at)) return;
      found = report_of(slot, now);
    });
    return found;
  });
}

void Exchange::audit() const {
  ask([](const PoolState& state) {
    state.audit();
    return true;
  });
}

std::string describe(const PoolStatistics& statistics) {
  return fmt::format("max {}: lent {}, ready {}, cleaning {}, opening {}, closing {}, waiters {}",
                     statistics.max, statistics.lent, statistics.ready, statistics.cleaning,
                     statistics.opening, statistics.closing, statistics.waiters);
}

}  // namespace forebay
