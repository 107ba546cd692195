// PoolState under any sequence of commands, against a reference model that predicts every decision
// a caller can see and checks every decision of the background loop for a reason.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/pool_commands.hpp"
#include "core/pool_fixture.hpp"

namespace forebay {
namespace {

using test::any_commands;
using test::any_rules;
using test::Caller;
using test::Command;
using test::TestPool;
using test::Verb;
using test::Work;
using namespace std::chrono_literals;

// The pool beside its model: the order of the ready and the line of the waiting.
class Run {
 public:
  Run(const PoolRules& rules, std::uint64_t seed) : pool_(rules, nullptr, seed), rules_(rules) {}

  void apply(const Command& command);
  // Everything comes home: the approvals, and one end for every waiter.
  void finish();

 private:
  // What must become of a clean connection that looks for its place.
  struct Fate {
    SlotState state;
    std::optional<DiscardReason> reason;
    bool is_offered = false;  // to waiters
  };

  void act(const Command& command);
  void take();
  void take_roughly();
  void wait(int number);
  void time_out();
  void cancel(int number);
  void give_back(Slot& slot, Verb verb);
  void opening_ends(Slot& slot, Verb verb, int number);
  void check_ends(Slot& slot, bool is_alive);
  void collect();
  void sleep();
  void resize(int number);
  void close();

  std::optional<Fate> refusal_of(const Slot& slot) const;
  Fate fate_of(const Slot& slot) const;
  Fate fate_among_ready(const Slot& slot) const;
  bool can_spare_one() const;
  void expect(const Slot& slot, const Fate& fate);
  void expect_scanned(const Slot& slot, std::size_t ready_before, int alive_before);
  void expect_line_served(const Slot& slot);

  Slot* pick(SlotState state, int number) const {
    const std::vector<Slot*> slots = pool_.slots_in(state);
    return slots.empty() ? nullptr : slots[static_cast<std::size_t>(number) % slots.size()];
  }
  template <class Condition>
  int count(Condition condition) const {
    return static_cast<int>(std::ranges::count_if(
        pool_.slots, [&](const auto& each) { return condition(*each.second); }));
  }
  int alive() const {
    return count([](const Slot& slot) {
      return slot.state != SlotState::discarded && slot.state != SlotState::closing;
    });
  }
  int target() const {
    const SupplyRule& supply = rules_.supply;
    return supply.mode == Supply::reservoir ? supply.target_ready : supply.min_idle;
  }
  Slot* next_ready() const {
    if (ready_.empty()) return nullptr;
    return rules_.take_order == TakeOrder::newest_first ? ready_.back() : ready_.front();
  }

  TestPool pool_;
  PoolRules rules_;
  std::vector<Slot*> ready_;                     // from longest idle to least
  std::map<std::uint64_t, std::size_t> places_;  // of slots among them, ever
  std::size_t next_place_ = 0;
  std::deque<Caller*> line_;
  std::set<const Caller*> left_;  // by their own timers, or cancelled
  std::uint64_t refused_ = 0;
  bool is_closed_ = false;
  bool is_suspicious_ = false;
};

void Run::apply(const Command& command) {
  const int before = static_cast<int>(pool_.slots.size());
  act(command);
  pool_.state.audit();
  RC_ASSERT(static_cast<int>(pool_.slots.size()) <= std::max(rules_.max, before));
  RC_ASSERT(pool_.ready() == static_cast<int>(ready_.size()));
  RC_ASSERT(pool_.state.waiters() == static_cast<int>(line_.size()));
}

void Run::act(const Command& command) {
  const int number = command.number;
  const Verb verb = command.verb;
  switch (verb) {
    case Verb::take: return take();
    case Verb::take_roughly: return take_roughly();
    case Verb::wait: return wait(number);
    case Verb::time_out: return time_out();
    case Verb::cancel: return cancel(number);
    case Verb::give_back:
    case Verb::give_back_used:
    case Verb::give_back_plain:
    case Verb::discard:
      if (Slot* slot = pick(SlotState::lent, number)) give_back(*slot, verb);
      return;
    case Verb::opened:
      for (int i = 0; i <= number % 3; ++i) {
        if (Slot* slot = pick(SlotState::opening, number)) opening_ends(*slot, verb, number);
      }
      return;
    case Verb::open_failed:
    case Verb::refuse:
      if (Slot* slot = pick(SlotState::opening, number)) opening_ends(*slot, verb, number);
      return;
    case Verb::reset_done:
      if (Slot* slot = pick(SlotState::resetting, number)) {
        const bool is_clean = number % 8 != 0;
        const Fate failed{SlotState::discarded, DiscardReason::reset_failed};
        const Fate fate = is_clean ? fate_of(*slot) : failed;
        pool_.reset_done(*slot, is_clean);
        expect(*slot, fate);
      }
      return;
    case Verb::check_done:
      if (Slot* slot = pick(SlotState::checking, number)) check_ends(*slot, number % 8 != 0);
      return;
    case Verb::gone:
      for (Slot* slot : pool_.slots_in(SlotState::closing)) pool_.remove(*slot);
      return;
    case Verb::suspect: is_suspicious_ = true; return pool_.state.suspect_all(pool_.now);
    case Verb::collect: return collect();
    case Verb::sleep: return sleep();
    case Verb::pass_time: pool_.now += 1ms * (number % 60); return;
    case Verb::resize: return resize(number);
    case Verb::close: return close();
  }
}

void Run::take() {
  std::vector<std::pair<const Slot*, DiscardReason>> skipped;
  while (!is_closed_ && next_ready() != nullptr && next_ready()->stale_at <= pool_.now) {
    const Slot* stale = next_ready();
    skipped.emplace_back(stale, pool_.now >= stale->expires_at
                                    ? DiscardReason::expired_on_checkout
                                    : DiscardReason::insufficient_remaining_lifetime);
    std::erase(ready_, stale);
  }
  const Slot* expected = is_closed_ ? nullptr : next_ready();
  std::erase(ready_, expected);

  const Slot* taken = pool_.take();

  RC_ASSERT(taken == expected);
  for (const auto& [slot, reason] : skipped) {
    RC_ASSERT(slot->state == SlotState::discarded);
    RC_ASSERT(slot->reason == reason);
  }
}

void Run::take_roughly() {
  const Instant latest = pool_.now + 5ms;
  const Slot* next = next_ready();
  const Slot* expected = next != nullptr && next->stale_at > latest ? next : nullptr;
  std::erase(ready_, expected);

  const std::source_location here = std::source_location::current();
  const Slot* taken = pool_.state.take_surely_fresh(pool_.now, latest, here);

  RC_ASSERT(taken == expected);
}

void Run::wait(int number) {
  take();
  // What take() may have found is lent now; only somebody who found nothing waits.
  if (is_closed_ || !ready_.empty()) return;
  line_.push_back(&pool_.wait(1ms * (1 + number % 300)));
}

// The waiters' timers are late when it pleases them.
void Run::time_out() {
  for (Caller* caller : std::vector<Caller*>(line_.begin(), line_.end())) {
    if (caller->deadline > pool_.now) continue;
    RC_ASSERT(pool_.state.time_out(*caller));
    left_.insert(caller);
    std::erase(line_, caller);
  }
}

// From wherever they stand.
void Run::cancel(int number) {
  if (line_.empty()) return;
  Caller* caller = line_[static_cast<std::size_t>(number) % line_.size()];
  RC_ASSERT(pool_.state.cancel(*caller));
  RC_ASSERT(!pool_.state.cancel(*caller));
  RC_ASSERT(caller->outcome == WaitOutcome::cancelled);
  left_.insert(caller);
  std::erase(line_, caller);
}

void Run::give_back(Slot& slot, Verb verb) {
  if (verb == Verb::discard) {
    pool_.state.discard_lent(slot, DiscardReason::broken);
    expect(slot, {SlotState::discarded, DiscardReason::broken});
    return;
  }
  if (verb == Verb::give_back_plain && pool_.state.give_back_to_ready(slot)) {
    RC_ASSERT(!is_closed_ && line_.empty() && alive() <= rules_.max);
    RC_ASSERT(static_cast<int>(ready_.size()) < rules_.max_ready);
    expect(slot, {SlotState::ready, {}});
    return;
  }
  const bool is_used = verb == Verb::give_back_used;
  Fate fate = fate_of(slot);
  if (is_used) fate = refusal_of(slot).value_or(Fate{SlotState::returned, {}});
  pool_.give_back(slot, is_used);
  expect(slot, fate);
}

void Run::opening_ends(Slot& slot, Verb verb, int number) {
  if (verb == Verb::open_failed) return pool_.open_failed(slot);
  if (verb == Verb::refuse) {
    ++refused_;
    return pool_.state.refuse_opening(slot, DiscardReason::hook_failed);
  }
  slot.expires_at = slot.stale_at = slot.retire_at = kNever;  // as far as refusing it goes
  Fate fate = refusal_of(slot).value_or(fate_among_ready(slot));
  pool_.opened(slot, 1ms * (number % 60));
  expect(slot, fate);
  RC_ASSERT(slot.retire_at > pool_.now && slot.retire_at <= slot.stale_at);
}

void Run::check_ends(Slot& slot, bool is_alive) {
  const bool is_placed = !line_.empty() || refusal_of(slot).has_value();
  const Fate failed{SlotState::discarded, DiscardReason::check_failed};
  const Fate fate = is_alive ? fate_of(slot) : failed;
  pool_.check_done(slot, is_alive);
  if (!is_alive || is_placed) return expect(slot, fate);
  RC_ASSERT(slot.state == SlotState::ready);
  // It comes back to where it was, also among those that are as idle.
  const auto place = [this](const Slot* each) { return places_.at(each->id); };
  ready_.insert(std::ranges::lower_bound(ready_, place(&slot), {}, place), &slot);
}

std::optional<Run::Fate> Run::refusal_of(const Slot& slot) const {
  const auto refused = [](DiscardReason reason) { return Fate{SlotState::discarded, reason}; };
  if (is_closed_) return refused(DiscardReason::closed);
  if (pool_.now >= slot.expires_at) return refused(DiscardReason::expired_on_return);
  if (pool_.now >= slot.stale_at) return refused(DiscardReason::insufficient_remaining_lifetime);
  if (alive() > rules_.max) return refused(DiscardReason::shrunk);
  return std::nullopt;
}

Run::Fate Run::fate_of(const Slot& slot) const {
  if (const auto refusal = refusal_of(slot)) return *refusal;
  Fate fate = fate_among_ready(slot);
  const bool is_due = pool_.now >= slot.retire_at || !slot.event_place.is_in_heap();
  if (fate.state == SlotState::ready && is_due && !ready_.empty() && can_spare_one()) {
    fate = {SlotState::discarded, DiscardReason::replaced, true};
  }
  return fate;
}

// Few enough are on their way out or in.
bool Run::can_spare_one() const {
  const int moving =
      pool_.state.slots().count(SlotState::opening) + pool_.state.room().approved() - alive();
  return moving <= std::max(1, (pool_.state.room().approved() - moving) / 10);
}

Run::Fate Run::fate_among_ready(const Slot&) const {
  const auto in_time = [this](const Caller* caller) { return caller->deadline > pool_.now; };
  if (std::ranges::any_of(line_, in_time)) return {SlotState::lent, {}, true};
  const int leaving =
      count([](const Slot& slot) { return slot.is_leaving && slot.state != SlotState::lent; });
  const int staying = static_cast<int>(ready_.size()) - leaving;
  if (staying >= std::max(rules_.max_ready, target())) {
    return {SlotState::discarded, DiscardReason::reservoir_full, true};
  }
  return {SlotState::ready, {}, true};
}

void Run::expect(const Slot& slot, const Fate& fate) {
  if (fate.is_offered) expect_line_served(slot);
  RC_ASSERT(std::string(name(slot.state)) == std::string(name(fate.state)));
  if (fate.reason) RC_ASSERT(std::string(name(slot.reason)) == std::string(name(*fate.reason)));
  if (fate.state != SlotState::ready) return;
  ready_.push_back(pool_.slots.at(slot.id).get());
  places_[slot.id] = ++next_place_;
}

// First in, first out, among those whose deadline has not passed.
void Run::expect_line_served(const Slot& slot) {
  while (!line_.empty() && line_.front()->deadline <= pool_.now) {
    RC_ASSERT(line_.front()->outcome == WaitOutcome::timed_out);
    line_.pop_front();
  }
  if (line_.empty()) return;
  RC_ASSERT(line_.front()->outcome == WaitOutcome::granted);
  RC_ASSERT(line_.front()->slot == &slot);
  RC_ASSERT(pool_.now < slot.stale_at);
  line_.pop_front();
}

void Run::collect() {
  const std::vector<Slot*> returned = pool_.slots_in(SlotState::returned);
  const std::vector<Slot*> ready = ready_;
  const int alive_before = alive();
  const int slots_before = static_cast<int>(pool_.slots.size());

  const Work work = pool_.collect();
  const Work again = pool_.collect();

  RC_ASSERT(again.empty());
  RC_ASSERT(work.wake_at > pool_.now);
  RC_ASSERT(work.reset.size() == returned.size());
  RC_ASSERT(pool_.state.slots().count(SlotState::discarded) == 0);
  RC_ASSERT(!is_closed_ || work.open.empty());
  RC_ASSERT(static_cast<int>(work.open.size()) <= std::max(0, rules_.max - slots_before));
  for (const Slot* slot : ready) expect_scanned(*slot, ready.size(), alive_before);
  std::erase_if(ready_, [](const Slot* slot) { return slot->state != SlotState::ready; });
  const int away = pool_.state.slots().count(SlotState::checking);
  RC_ASSERT(work.check.empty() || away <= std::max(1, (away + pool_.ready()) / 2));
  for (const Slot* slot : work.check) {
    RC_ASSERT(is_suspicious_ || pool_.now - slot->alive_at >= rules_.check_after);
  }
  for (const Slot* slot : work.leaked) RC_ASSERT(slot->is_leak_reported);
  if (is_closed_ || rules_.leak_after == Duration::max()) return;
  for (const Slot* slot : pool_.slots_in(SlotState::lent)) {
    const Duration held = pool_.now - slot->taken_at;
    if (slot->is_leak_reported) RC_ASSERT(held >= rules_.leak_after);
    if (!slot->is_leak_reported) RC_ASSERT(held < rules_.leak_after * 17 / 16);
  }
}

// Whatever was ready before a scan is fresh and ready after it, or has a reason to be gone.
void Run::expect_scanned(const Slot& slot, std::size_t ready_before, int alive_before) {
  const Instant now = pool_.now;
  if (slot.state == SlotState::ready || slot.state == SlotState::checking) {
    RC_ASSERT(is_closed_ || now < slot.stale_at);
    return;
  }
  RC_ASSERT(slot.state == SlotState::closing);
  const bool is_justified =
      (slot.reason == DiscardReason::expired_on_scan && now >= slot.expires_at) ||
      (slot.reason == DiscardReason::expiring_soon_on_scan && now >= slot.stale_at) ||
      (slot.reason == DiscardReason::replaced && now >= slot.retire_at && ready_before > 1) ||
      (slot.reason == DiscardReason::idle && now - slot.idle_since >= rules_.idle_timeout &&
       pool_.ready() + pool_.state.slots().count(SlotState::checking) >= target()) ||
      (slot.reason == DiscardReason::shrunk && alive_before > rules_.max);
  if (!is_justified) RC_LOG() << "discarded as " << name(slot.reason) << std::endl;
  RC_ASSERT(is_justified);
}

// Until the wake-up that collect() asked for, the passing of time alone makes no work.
void Run::sleep() {
  collect();
  const Instant wake_at = pool_.collect().wake_at;
  pool_.now = wake_at == kNever ? pool_.now + 10s : wake_at - Duration(1);
  const Work early = pool_.collect();
  RC_ASSERT(early.empty());
  if (wake_at != kNever) pool_.now = wake_at;
}

void Run::resize(int number) {
  rules_.max = 1 + number % 8;
  rules_.max_ready = std::min(rules_.max, 1 + number % 5);
  rules_.supply.target_ready = std::min(rules_.max, number % 4);
  rules_.supply.keep_open = std::min(rules_.max, number % 3);
  pool_.state.resize(rules_);
}

void Run::close() {
  pool_.close();
  is_closed_ = true;
  ready_.clear();
  for (const Caller* caller : line_) RC_ASSERT(caller->outcome == WaitOutcome::closed);
  line_.clear();
}

void Run::finish() {
  close();
  pool_.drain();

  RC_ASSERT(pool_.state.room().approved() == 0);
  for (const auto& caller : pool_.callers) {
    RC_ASSERT(caller->outcome != WaitOutcome::waiting);
    RC_ASSERT(caller->wakes + static_cast<int>(left_.count(caller.get())) == 1);
  }
  const PoolCounters& counters = pool_.state.counters();
  std::uint64_t discards = 0;
  for (const std::uint64_t number : counters.discards) discards += number;
  RC_ASSERT(discards == counters.opened + refused_);
  RC_ASSERT(counters.acquired == counters.given_back);
}

RC_GTEST_PROP(PoolStateProperty, KeepsItsPromisesUnderAnyCommands, (std::uint64_t seed)) {
  const PoolRules rules = any_rules();
  const std::vector<Command> commands = *any_commands();
  Run run(rules, seed);

  for (const Command& command : commands) run.apply(command);

  run.finish();
}

RC_GTEST_PROP(PoolStateProperty, KeepsItsPromisesWhileItCloses, (std::uint64_t seed)) {
  const PoolRules rules = any_rules();
  std::vector<Command> commands = *any_commands();
  const std::size_t at = *rc::gen::inRange<std::size_t>(0, commands.size() + 1);
  commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(at), Command{Verb::close});
  Run run(rules, seed);

  for (const Command& command : commands) run.apply(command);

  run.finish();
}

}  // namespace
}  // namespace forebay
