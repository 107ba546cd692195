// CallerWatch: looks over the shoulder of everybody who acquires at one place, and knows what was
// promised to them: order, an end by their deadline, a fresh and clean connection, and no waiting
// while something is ready.
//
// All callers of a place wait for the same time at most, so the first to come has the first
// deadline. Callers who may leave the line, as clients of a proxy who hang up, are not passed by as
// long as they are not served after all; and of their deadline only that is known to be the last.
#pragma once

#include <algorithm>

#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/sim/sim_loops.hpp"
#include "forebay/sim/checks/caller_place.hpp"
#include "forebay/sim/checks/promise_book.hpp"
#include "forebay/sim/connector.hpp"

namespace forebay::sim {

class CallerWatch {
 public:
  CallerWatch(const SimLoops& loops, const CallerPlace& place, const ServiceSpec& spec,
              Duration cut_after, int process, PromiseBook& book)
      : loops_(loops),
        scheduler_(loops.first()),
        begun_(scheduler_.now()),
        place_(place),
        spec_(spec),
        cut_after_(cut_after),
        may_leave_(is_proxy(spec)),
        process_(process),
        book_(book) {}

  // Lives in the caller's frame, from the question to the answer.
  class Ticket {
   public:
    Ticket(CallerWatch& watch, Instant deadline);
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    // The answer has come. Checks what can be checked about it.
    void served(const PooledConnection& handle);
    void served();  // of what it was given others know more
    void unserved(const Error& error);
    Duration waited() const;

   private:
    friend class CallerWatch;
    void check_time() const;
    bool was_anything_ready() const;
    bool has_waited() const { return watch_.loops_.steps() != step_; }
    void end_well();

    CallerWatch& watch_;
    const Instant asked_;
    const Instant deadline_;
    const std::uint64_t number_;
    const std::uint64_t step_;
    const int ready_then_;
    const std::uint64_t stale_then_;
    bool is_passed_by_ = false;
    ListLink<Ticket> link_;
    static constexpr std::uint64_t kNoneStale = UINT64_MAX;  // nothing was old enough to be
  };

  // To be asked after every event: has somebody been left waiting?
  void check_deadlines() const {
    const Ticket* longest = tickets_.front();
    if (longest != nullptr && is_late(*longest)) note_late(*longest);
  }
  // In a process that stands still nobody is answered; those whose deadline passes meanwhile hear
  // of it when it goes on.
  void set_frozen(bool is_frozen) { excused_until_ = is_frozen ? kNever : scheduler_.now(); }
  // How long somebody has waited while nobody was served.
  Duration unserved_for() const {
    if (tickets_.empty()) return Duration::zero();
    return scheduler_.now() - std::max(tickets_.front()->asked_, last_served_);
  }
  const CallerPlace& place() const { return place_; }

 private:
  bool is_late(const Ticket& ticket) const {
    return std::max(ticket.deadline_, excused_until_) < scheduler_.now();
  }
  void check_order(const Ticket& ticket, bool has_waited);
  void note_disorder(const Ticket& ticket, const Ticket& longest) const;
  void check_order_over_loops(const Ticket& ticket, Instant granted);
  void check_fresh(const PooledConnection& handle) const;
  void note_late(const Ticket& ticket) const;
  // To count costs a copy of all counters, and nothing is too old in a young process.
  bool can_be_stale() const {
    const Duration shortest = spec_.base_lifetime - spec_.jitter / 2 - spec_.guard_window;
    return scheduler_.now() - begun_ >= shortest;
  }
  std::uint64_t stale_so_far() const;

  const SimLoops& loops_;
  const SimScheduler& scheduler_;
  const Instant begun_;
  const CallerPlace& place_;
  const ServiceSpec& spec_;
  const Duration cut_after_;
  const bool may_leave_;
  const int process_;
  PromiseBook& book_;
  IntrusiveList<Ticket, &Ticket::link_> tickets_;
  std::uint64_t last_number_ = 0;
  std::uint64_t latest_served_ = 0;  // of those who waited, the last to have come
  Instant latest_granted_{};         // when it was given what it got
  Instant last_served_{};
  Instant excused_until_{};
};

}  // namespace forebay::sim
