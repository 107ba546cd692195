// CallerWatch: looks over the shoulder of everybody who acquires at one place, and knows what was
// promised to them: order, an end by their deadline, a fresh and clean connection, and no waiting
// while something is ready.
//
// All callers of a place wait for the same time at most, so whoever came first has the first
// deadline.
#pragma once

#include <algorithm>

#include "forebay/base/intrusive_list.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/sim/caller_place.hpp"
#include "forebay/sim/connector.hpp"
#include "forebay/sim/promise_book.hpp"

namespace forebay::sim {

class CallerWatch {
 public:
  CallerWatch(const SimScheduler& scheduler, const CallerPlace& place, const ServiceSpec& spec,
              Duration cut_after, int process, PromiseBook& book)
      : scheduler_(scheduler),
        place_(place),
        spec_(spec),
        cut_after_(cut_after),
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
    void unserved(const Error& error);
    Duration waited() const;

   private:
    friend class CallerWatch;
    void check_time() const;
    bool was_anything_ready() const;

    CallerWatch& watch_;
    const Instant asked_;
    const Instant deadline_;
    const std::uint64_t step_;
    const int ready_then_;
    const std::uint64_t stale_then_;
    ListLink<Ticket> link_;
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
  void check_order(const Ticket& ticket, bool has_waited) const;
  void check_fresh(const PooledConnection& handle) const;
  void note_late(const Ticket& ticket) const;
  std::uint64_t stale_so_far() const;

  const SimScheduler& scheduler_;
  const CallerPlace& place_;
  const ServiceSpec& spec_;
  const Duration cut_after_;
  const int process_;
  PromiseBook& book_;
  IntrusiveList<Ticket, &Ticket::link_> tickets_;
  Instant last_served_{};
  Instant excused_until_{};
};

}  // namespace forebay::sim
