#include "forebay/sim/checks/caller_watch.hpp"

#include <string>

#include <fmt/format.h>

#include "forebay/env/duration_text.hpp"

namespace forebay::sim {
namespace {

// A client that logs in waits for its server no longer than until so long after its first byte, and
// stands in line when it has sent the rest.
constexpr Duration kLogIn = std::chrono::milliseconds(500);

}  // namespace

CallerWatch::Ticket::Ticket(CallerWatch& watch, Instant deadline)
    : watch_(watch),
      asked_(watch.scheduler_.now()),
      deadline_(deadline),
      number_(++watch.last_number_),
      step_(watch.loops_.steps()),
      ready_then_(watch.place_.gauges().ready),
      stale_then_(watch.can_be_stale() ? watch.stale_so_far() : kNoneStale) {
  watch_.tickets_.push_back(*this);
}

CallerWatch::Ticket::~Ticket() {
  if (link_.is_linked()) watch_.tickets_.erase(*this);
}

Duration CallerWatch::Ticket::waited() const { return watch_.scheduler_.now() - asked_; }

void CallerWatch::Ticket::check_time() const {
  if (watch_.is_late(*this)) watch_.note_late(*this);
}

void CallerWatch::Ticket::served(const PooledConnection& handle) {
  check_time();
  if (has_waited() && watch_.loops_.size() > 1) {
    watch_.check_order_over_loops(*this, handle.taken_at());
  } else {
    watch_.check_order(*this, has_waited());
  }
  watch_.check_fresh(handle);
  end_well();
}

void CallerWatch::Ticket::served() {
  check_time();
  watch_.check_order(*this, has_waited());
  end_well();
}

void CallerWatch::Ticket::end_well() {
  if (has_waited() && was_anything_ready()) {
    watch_.book_.note_broken(Promise::never_blocks, watch_.process_,
                             fmt::format("a caller waited {} although {} were ready when it asked",
                                         readable_time(waited()), ready_then_));
  }
  watch_.tickets_.erase(*this);
  watch_.last_served_ = watch_.scheduler_.now();
}

// Nobody goes away with nothing before its deadline, or while something is ready.
void CallerWatch::Ticket::unserved(const Error& error) {
  check_time();
  watch_.tickets_.erase(*this);
  if (error.code() == Errc::closed || error.code() == Errc::cancelled) return;
  if (deadline_ <= watch_.excused_until_) return;  // what came back meanwhile came too late for it
  const Instant first = watch_.may_leave_ ? deadline_ - kLogIn : deadline_;
  if (watch_.scheduler_.now() < first || was_anything_ready() || watch_.place_.gauges().ready > 0) {
    watch_.book_.note_broken(
        Promise::never_blocks, watch_.process_,
        fmt::format(
            "a caller went away with nothing after {} although {} were ready when it asked: "
            "{}",
            readable_time(waited()), ready_then_, error.text()));
  }
}

// And not only what had to be thrown away.
bool CallerWatch::Ticket::was_anything_ready() const {
  return ready_then_ > 0 && (stale_then_ == kNoneStale || watch_.stale_so_far() == stale_then_);
}

// Those who waited are served before all who came later. One who was served at once found nobody
// waiting: those who have been handed something and have not run yet no longer wait.
void CallerWatch::check_order(const Ticket& ticket, bool has_waited) {
  // Those whose deadline passed in a process that stood still no longer wait.
  const Ticket* longest = tickets_.front();
  while (longest != &ticket && longest->deadline_ <= excused_until_)
    longest = decltype(tickets_)::next(*longest);
  // Where nobody came before, nobody was passed by, and the place need not be asked.
  const bool is_first = tickets_.front() == &ticket;
  const bool is_in_order =
      has_waited ? longest == &ticket : is_first || place_.gauges().waiters == 0;
  if (ticket.is_passed_by_) note_disorder(ticket, ticket);
  if (is_in_order) return;
  if (!may_leave_) return note_disorder(ticket, *longest);
  for (Ticket* each = tickets_.front(); each != &ticket; each = decltype(tickets_)::next(*each))
    each->is_passed_by_ = true;
}

void CallerWatch::note_disorder(const Ticket& ticket, const Ticket& longest) const {
  const std::string who = ticket.is_passed_by_
                              ? std::string("another who came later")
                              : fmt::format("a caller who came after {}",
                                            readable_time(ticket.asked_ - longest.asked_));
  book_.note_broken(Promise::order, process_,
                    fmt::format("{} was served before one who has waited {}", who,
                                readable_time(longest.waited())));
}

// Loops run side by side: of two callers who are given something at the same time, the second may
// be the first to run. So what counts is when it was given.
void CallerWatch::check_order_over_loops(const Ticket& ticket, Instant granted) {
  if (ticket.number_ > latest_served_) {
    latest_served_ = ticket.number_;
    latest_granted_ = granted;
  } else if (granted > latest_granted_) {
    book_.note_broken(
        Promise::order, process_,
        fmt::format("a caller who has waited {} was served {} after one who came later",
                    readable_time(ticket.waited()), readable_time(granted - latest_granted_)));
  }
}

// Not what the pool believes, but what the server knows.
void CallerWatch::check_fresh(const PooledConnection& handle) const {
  const auto& connection = static_cast<const SimConnection&>(handle.connection());
  const Session& session = connection.session();
  const Instant now = scheduler_.now();
  const Duration age = now - session.opened_at;
  const Duration oldest = spec_.base_lifetime + spec_.jitter / 2 - spec_.guard_window;
  if (now >= handle.stale_at() || age > oldest) {
    book_.note_broken(Promise::freshness, process_,
                      fmt::format("connection {} was handed out at the age of {}; with its guard "
                                  "window no life is longer than {}",
                                  handle.id(), readable_time(age), readable_time(oldest)));
  }
  if (now - session.arrived_at >= cut_after_) {
    book_.note_broken(Promise::freshness, process_,
                      fmt::format("connection {} was handed out after the server had cut it at {}",
                                  handle.id(), readable_time(cut_after_)));
  }
  if (session.is_dirty) {
    book_.note_broken(Promise::clean, process_,
                      fmt::format("connection {} was handed out with what its last user left in it",
                                  handle.id()));
  }
}

void CallerWatch::note_late(const Ticket& ticket) const {
  book_.note_broken(
      Promise::every_waiter_ends, process_,
      fmt::format("a caller who asked {} ago has not been answered by its deadline, {} ago",
                  readable_time(ticket.waited()),
                  readable_time(scheduler_.now() - ticket.deadline_)));
}

std::uint64_t CallerWatch::stale_so_far() const {
  const PoolCounters counters = place_.counters();
  return counters.discarded(DiscardReason::insufficient_remaining_lifetime) +
         counters.discarded(DiscardReason::expired_on_checkout);
}

}  // namespace forebay::sim
