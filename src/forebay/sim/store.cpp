#include "forebay/sim/store.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/sim/latency.hpp"

namespace forebay::sim {
namespace {

RateLimits rate_limits(const Scenario& scenario) {
  RateLimits limits;
  limits.connects_per_second = scenario.database.connects_per_second;
  limits.burst = scenario.database.connect_burst;
  return limits;
}

}  // namespace

SimStore::SimStore(const Scenario& scenario, int processes, std::uint64_t seed, Trace& trace)
    : spec_(scenario.coordination),
      limit_(spec_.is_enabled ? scenario.database.max_connections.value_or(0) : 0),
      is_keeping_(spec_.on_lease_loss == LeaseLoss::keep),
      random_(seed),
      trace_(trace),
      model_(rate_limits(scenario)),
      leases_(static_cast<std::size_t>(processes)),
      held_(static_cast<std::size_t>(processes)),
      was_reaped_(static_cast<std::size_t>(processes)),
      is_local_(static_cast<std::size_t>(processes)),
      has_contact_(static_cast<std::size_t>(processes)) {}

void SimStore::note_lease(const std::string& lease_id, int process) {
  if (owners_.emplace(lease_id, process).second)
    leases_[static_cast<std::size_t>(process)].push_back(lease_id);
}

void SimStore::begin_life(int process) {
  const auto place = static_cast<std::size_t>(process);
  for (const std::string& lease_id : leases_[place]) owners_.erase(lease_id);
  leases_[place].clear();
  held_[place] = 0;
  was_reaped_[place] = false;
  is_local_[place] = false;
}

void SimStore::recount(int process) {
  const auto place = static_cast<std::size_t>(process);
  int held = 0;
  for (const std::string& lease_id : leases_[place]) held += model_.held(lease_id);
  held_[place] = held;
  had_overhang_ |= has_cap() && model_.active() > limit_;
}

void SimStore::note_reaped(const std::string& lease_id) {
  const auto owner = owners_.find(lease_id);
  if (owner == owners_.end()) return;
  was_reaped_[static_cast<std::size_t>(owner->second)] = true;
  had_overhang_ |= is_keeping_;  // it lives, and keeps what it has
  recount(owner->second);
}

// A process without an answer may go on by itself, if its policy says so; the lease agent does
// until it has heard of its leases again.
void SimStore::note_contact(int process, Topic topic, bool is_answered) {
  const auto place = static_cast<std::size_t>(process);
  if (topic == Topic::leases) has_contact_[place] = is_answered;
  if (is_answered || spec_.on_absence != StoreAbsence::local) return;
  if (topic == Topic::leases) is_local_[place] = true;
  had_local_ = true;
}

void SimStore::note_uncovered(int process, int sessions, PromiseBook& book) const {
  book.note_broken(
      Promise::leases, process,
      fmt::format("the server counts {} sessions of a process that holds leases for {}", sessions,
                  held_by(process)));
}

std::string SimStore::text_of(int process) const {
  if (!has_cap()) return "connections are not leased";
  return fmt::format("it holds {} of {} leases, limit {}", held_by(process), active(), limit_);
}

// To the store, there the action, and back. What is answered too late is not answered.
template <class Reply, class Action>
Task<Result<Reply>> StoreLink::ask(SimStore::Topic topic, Action action, Instant deadline) {
  const CoordinationSpec& spec = store_.spec_;
  const Scheduler& scheduler = link_.scheduler();
  if (link_.is_dead()) co_return failure(Errc::closed, "the process has died");
  ++store_.requests_;
  const Duration there = draw(spec.latency, store_.random_) / 2;
  const Instant arrives = scheduler.now() + there;
  if (there > Duration::zero()) co_await link_.wait(std::min(arrives, deadline));
  const bool arrives_late = link_.is_dead() && store_.random_.below(2) == 0;
  if (arrives > deadline || is_cut_ || arrives_late) {
    store_.note_contact(link_.process(), topic, false);
    co_await link_.wait(deadline);
    co_return failure(Errc::timed_out, "the coordination store does not answer");
  }
  if (store_.is_away_) {
    store_.note_contact(link_.process(), topic, false);
    co_return failure(Errc::connect_failed, "the coordination store is away");
  }
  if (draw_chance(spec.throttled, store_.random_)) {
    store_.note_contact(link_.process(), topic, false);
    co_return failure(Errc::limit_reached, "the coordination store is throttling us");
  }

  const Reply reply = action();
  store_.trace_.add(TraceEvent::store, link_.process(), scheduler.now());
  const bool is_lost = draw_chance(spec.lost_replies, store_.random_);
  const Duration back = draw(spec.latency, store_.random_) / 2;
  const Instant answered = scheduler.now() + back;
  if (is_lost || answered > deadline || link_.is_dead()) {
    store_.note_contact(link_.process(), topic, false);
    co_await link_.wait(deadline);
    co_return failure(Errc::timed_out, "the coordination store does not answer");
  }
  if (back > Duration::zero()) co_await link_.wait(answered);
  store_.note_contact(link_.process(), topic, true);
  co_return reply;
}

Task<Result<AcquireReply>> StoreLink::acquire(AcquireRequest request, Instant deadline) {
  return ask<AcquireReply>(
      SimStore::Topic::leases,
      [this, request = std::move(request)] {
        const AcquireReply reply = store_.model_.acquire(request);
        store_.note_lease(request.change.lease_id, link_.process());
        store_.recount(link_.process());
        return reply;
      },
      deadline);
}

Task<Result<ReleaseReply>> StoreLink::release(ReleaseRequest request, Instant deadline) {
  return ask<ReleaseReply>(
      SimStore::Topic::leases,
      [this, request = std::move(request)] {
        const ReleaseReply reply = store_.model_.release(request);
        store_.recount(link_.process());
        return reply;
      },
      deadline);
}

Task<Result<RenewReply>> StoreLink::renew(RenewRequest request, Instant deadline) {
  return ask<RenewReply>(
      SimStore::Topic::leases,
      [this, request = std::move(request)] { return store_.model_.renew(request); }, deadline);
}

Task<Result<std::vector<LeaseRecord>>> StoreLink::list(Instant deadline) {
  return ask<std::vector<LeaseRecord>>(
      SimStore::Topic::leases, [this] { return store_.model_.list(); }, deadline);
}

Task<Result<ReapReply>> StoreLink::reap(ReapRequest request, Instant deadline) {
  return ask<ReapReply>(
      SimStore::Topic::leases,
      [this, request = std::move(request)] {
        const ReapReply reply = store_.model_.reap(request);
        if (reply.is_reaped) store_.note_reaped(request.lease_id);
        return reply;
      },
      deadline);
}

Task<Result<TakeReply>> StoreLink::take(TakeRequest request, Instant deadline) {
  return ask<TakeReply>(
      SimStore::Topic::rate, [this, request] { return store_.model_.take(request); }, deadline);
}

}  // namespace forebay::sim
