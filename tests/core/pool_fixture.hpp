// A PoolState with slots and waiters of its own, stepped by hand and audited after every step.
// Whatever a test leaves behind is drained when it ends, so a failed expectation cannot turn
// into a crash.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/core/pool_state.hpp"

namespace forebay::test {

using namespace std::chrono_literals;

struct Caller : Waiter {
  Caller(Instant arrival, Instant until)
      : Waiter(&count_wake, arrival, until, std::source_location::current()) {}
  static void count_wake(Waiter& waiter) { ++static_cast<Caller&>(waiter).wakes; }
  int wakes = 0;
};

// What collect() decided, with the approvals turned into slots.
struct Work {
  std::vector<Slot*> open;
  std::vector<Slot*> reset;
  std::vector<Slot*> check;
  std::vector<Slot*> close;
  std::vector<Slot*> leaked;
  Instant wake_at = kNever;

  bool empty() const {
    return open.empty() && reset.empty() && check.empty() && close.empty() && leaked.empty();
  }
};

// Lives of ten minutes, handed out for nine; opens on demand only.
inline PoolRules test_rules(int max = 10) {
  PoolRules rules;
  rules.max = max;
  rules.max_ready = max;
  rules.supply.max_opening = max;
  rules.expiry.lifetime = 10min;
  rules.expiry.jitter = 0s;
  rules.expiry.guard_window = 1min;
  rules.backoff.jitter_percent = 0;
  return rules;
}

inline PoolRules reservoir_rules(int max, int target) {
  PoolRules rules = test_rules(max);
  rules.supply.mode = Supply::reservoir;
  rules.supply.target_ready = target;
  return rules;
}

class TestPool {
 public:
  explicit TestPool(const PoolRules& rules, Capacity* process_capacity = nullptr,
                    std::uint64_t seed = 1)
      : random(seed), state(rules, process_capacity) {}
  ~TestPool() { drain(); }

  // Callers.
  Slot* take() { return take_at(now); }
  Slot* take_at(Instant time) {
    Slot* slot = state.take(time, std::source_location::current());
    state.audit();
    return slot;
  }
  Caller& wait(Duration timeout) {
    callers.push_back(std::make_unique<Caller>(now, now + timeout));
    state.add_waiter(*callers.back());
    state.audit();
    return *callers.back();
  }
  void give_back(Slot& slot, bool needs_reset = false) { give_back_at(slot, now, needs_reset); }
  void give_back_at(Slot& slot, Instant time, bool needs_reset) {
    decide([&](WakeList& wakes) { state.give_back(slot, time, needs_reset, wakes); });
  }

  // The background loop.
  Work collect() {
    PoolWork decided;
    state.collect(now, decided);
    Work work;
    for (Approval& approval : decided.open) work.open.push_back(&add_opening(std::move(approval)));
    work.reset = std::move(decided.reset);
    work.check = std::move(decided.check);
    work.close = std::move(decided.close);
    work.leaked = std::move(decided.leaked);
    work.wake_at = decided.wake_at;
    state.audit();
    return work;
  }
  void opened(Slot& slot, Duration connect_time = 50ms) {
    decide([&](WakeList& wakes) { state.opened(slot, now, connect_time, random, wakes); });
  }
  void open_failed(Slot& slot, const std::string& text = "refused",
                   Errc code = Errc::connect_failed,
                   OpenFailure reason = OpenFailure::connection_open) {
    state.open_failed(now, FailedOpen(reason, Error(code, text)), random);
    remove(slot);
  }
  void reset_done(Slot& slot, bool is_clean = true) {
    decide([&](WakeList& wakes) { state.reset_done(slot, now, is_clean, wakes); });
  }
  void check_done(Slot& slot, bool is_alive = true) {
    decide([&](WakeList& wakes) { state.check_done(slot, now, is_alive, wakes); });
  }
  void remove(Slot& slot) {
    state.remove(slot);
    slots.erase(slot.id);
    state.audit();
  }
  void close() {
    decide([&](WakeList& wakes) { state.close(wakes); });
  }
  // Lets everything that is discarded go.
  void close_discarded() {
    for (Slot* slot : collect().close) remove(*slot);
  }

  // Approves a connection whatever the plan says, as warm-up of a bigger pool would.
  Slot& start_opening() {
    const PoolRules rules = state.rules();
    PoolRules generous = rules;
    generous.supply.keep_open = 1'000'000;
    state.resize(generous);
    std::optional<Approval> approval = state.approve_warm_up();
    state.resize(rules);
    return add_opening(std::move(approval.value()));
  }
  Slot& add_opening(Approval approval) {
    const std::uint64_t id = next_id_++;
    Slot& slot = *slots.emplace(id, std::make_unique<Slot>(id, std::move(approval))).first->second;
    state.add_opening(slot);
    return slot;
  }
  Slot& open_one() {
    Slot& slot = start_opening();
    opened(slot);
    return slot;
  }
  std::vector<Slot*> open(int number) {
    std::vector<Slot*> result;
    for (int i = 0; i < number; ++i) result.push_back(&open_one());
    return result;
  }

  int ready() const { return state.slots().count(SlotState::ready); }
  std::uint64_t discarded(DiscardReason reason) const { return state.counters().discarded(reason); }

  // Closes the pool and lets everything come home, whatever state it is in.
  void drain() {
    close();
    while (!slots.empty()) {
      for (Slot* slot : slots_in(SlotState::opening)) remove(*slot);
      for (Slot* slot : slots_in(SlotState::lent)) give_back(*slot);
      for (Slot* slot : slots_in(SlotState::resetting)) reset_done(*slot);
      for (Slot* slot : slots_in(SlotState::checking)) check_done(*slot);
      for (Slot* slot : slots_in(SlotState::closing)) remove(*slot);
      collect();
    }
  }
  std::vector<Slot*> slots_in(SlotState wanted) const {
    std::vector<Slot*> result;
    for (const auto& [id, slot] : slots) {
      if (slot->state == wanted) result.push_back(slot.get());
    }
    return result;
  }

  template <class Decision>
  void decide(Decision&& decision) {
    decide_quietly(decision);
    state.audit();
  }
  // Without an audit: for pools so big that looking at everything each time would take long.
  template <class Decision>
  void decide_quietly(Decision&& decision) {
    WakeList wakes;
    decision(wakes);
    wake_all(wakes);
  }

  Instant now{1h};
  SeededRandom random;
  PoolState state;
  std::map<std::uint64_t, std::unique_ptr<Slot>> slots;
  std::vector<std::unique_ptr<Caller>> callers;

 private:
  std::uint64_t next_id_ = 1;
};

}  // namespace forebay::test
