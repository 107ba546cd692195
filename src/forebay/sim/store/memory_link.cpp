#include "forebay/sim/store/memory_link.hpp"

#include <algorithm>

#include "forebay/sim/latency.hpp"

namespace forebay::sim {

// To the store, there the action, and back. What is answered too late is not answered.
template <class Reply, class Action>
Task<Result<Reply>> MemoryLink::ask(SimStore::Topic topic, Action action, Instant deadline) {
  const CoordinationSpec& spec = store_.spec_;
  const Scheduler& scheduler = link_.scheduler();
  if (link_.is_dead()) co_return failure(Errc::closed, "the process has died");
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

Task<Result<AcquireReply>> MemoryLink::acquire(AcquireRequest request, Instant deadline) {
  return ask<AcquireReply>(
      SimStore::Topic::leases,
      [this, request = std::move(request)] {
        const AcquireReply reply = store_.model_.acquire(request);
        store_.note_lease(request.change.lease_id, link_.process());
        store_.note_changed(request.change.lease_id);
        return reply;
      },
      deadline);
}

Task<Result<ReleaseReply>> MemoryLink::release(ReleaseRequest request, Instant deadline) {
  return ask<ReleaseReply>(
      SimStore::Topic::leases,
      [this, request = std::move(request)] {
        const ReleaseReply reply = store_.model_.release(request);
        store_.note_changed(request.change.lease_id);
        return reply;
      },
      deadline);
}

Task<Result<RenewReply>> MemoryLink::renew(RenewRequest request, Instant deadline) {
  return ask<RenewReply>(
      SimStore::Topic::leases,
      [this, request = std::move(request)] { return store_.model_.renew(request); }, deadline);
}

Task<Result<LeaseListing>> MemoryLink::list(Instant deadline) {
  return ask<LeaseListing>(
      SimStore::Topic::leases, [this] { return store_.model_.list(); }, deadline);
}

Task<Result<ReapReply>> MemoryLink::reap(ReapRequest request, Instant deadline) {
  return ask<ReapReply>(
      SimStore::Topic::leases,
      [this, request = std::move(request)] {
        const ReapReply reply = store_.model_.reap(request);
        if (reply.is_reaped) store_.note_reaped(request.lease_id);
        return reply;
      },
      deadline);
}

Task<Result<RecountReply>> MemoryLink::recount(RecountRequest request, Instant deadline) {
  return ask<RecountReply>(
      SimStore::Topic::leases,
      [this, request = std::move(request)] { return store_.model_.recount(request); }, deadline);
}

Task<Result<TakeReply>> MemoryLink::take(TakeRequest request, Instant deadline) {
  return ask<TakeReply>(
      SimStore::Topic::rate, [this, request] { return store_.model_.take(request); }, deadline);
}

}  // namespace forebay::sim
