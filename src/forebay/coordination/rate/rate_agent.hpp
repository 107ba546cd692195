// RateAgent: this process's part in a rate of connects that many processes share.
//
// It asks the store for as many places as callers wait for, one request at a time, and hands them
// out in the order in which they start, first come, first served. A place is used at its own time
// or not at all, unless the store says that later will do: a connect that starts late would meet
// those that come after it.
//
// It keeps the store's time: what the store tells of it or, where it tells nothing, its own wall
// clock as it was at the beginning; carried on by the monotonic clock, and moved ahead when a reply
// shows that somebody's is ahead of it.
// Confined to its scheduler.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "forebay/coordination/cluster_options.hpp"
#include "forebay/coordination/rate/rate_store.hpp"
#include "forebay/coordination/store_contact.hpp"
#include "forebay/coordination/waiting_line.hpp"
#include "forebay/core/backoff.hpp"
#include "forebay/core/connect_pacer.hpp"
#include "forebay/env/env.hpp"
#include "forebay/env/signal.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/pool/admission.hpp"

namespace forebay {

struct RateOptions {
  RateOptions() : RateOptions(ClusterOptions()) {}
  explicit RateOptions(const ClusterOptions& cluster);

  // As the cluster's options say.
  double connects_per_second;  // of the whole cluster: for texts, and for local absence
  Duration request_timeout;
  Duration max_wait;  // after that a caller hears limit_reached
  // The very first request waits by chance, for this long at most, so that processes that start
  // together do not ask together.
  Duration stagger;
  StoreAbsence on_absence;
  // Seconds of a window are those of the clock on the wall, also after it was set. A store whose
  // replies say that it counts by the second is followed so in any case.
  bool is_wall_clock_followed;

  Duration spread = std::chrono::milliseconds(500);  // of processes that were refused together
  // local: among how many processes the rate is divided; none, or 0: not known, one connect a
  // second.
  std::function<int()> known_processes;
  int most_at_once = 100;                                  // places in one request
  Duration settling_time = std::chrono::milliseconds(50);  // see PermitSource
  BackoffRule backoff{std::chrono::milliseconds(100), std::chrono::seconds(5), 25};
};

class RateAgent final : public PermitSource {
 public:
  RateAgent(Env env, RateStore& store, RateOptions options);
  RateAgent(const RateAgent&) = delete;
  RateAgent& operator=(const RateAgent&) = delete;

  Task<Result<Instant>> reserve(Instant deadline) override;
  Duration settling_time() const override { return options_.settling_time; }
  void give_back(Instant start) override;
  // Those who wait hear `closed`. Ends when no request is under way any more.
  Task<void> close();

  std::uint64_t waits() const { return waits_; }  // reserves that the cluster's rate put off
  std::uint64_t requests() const { return contact_.requests(); }
  int failures() const { return contact_.failures(); }        // of those, in a row until now
  std::uint64_t lost_places() const { return lost_places_; }  // heard of, or given back, too late
  std::uint64_t foreign_seconds() const { return store_.foreign_seconds(); }

 private:
  struct Place {
    Instant start;
    Instant until;  // it may start as late as this
    bool is_put_off = false;
  };

  void stagger();
  void add_place(Place place);
  std::optional<Instant> take_place();
  void hand_out();
  Instant hand_out_locally();
  Task<void> fetch();
  Task<void> ask();
  void accept(const TakeReply& reply, Instant sent);
  void note_failure(const Error& error);
  std::string why_late() const;
  void set_time(Instant now);
  WallTime store_time(Instant now) const;
  Duration notice() const;

  const Env env_;
  RateStore& store_;
  const RateOptions options_;

  StoreContact contact_;
  WaitingLine<Instant> line_;
  TaskGroup tasks_;
  Signal news_;
  std::deque<Place> places_;   // by start
  const WallTime begun_time_;  // by this process's own clock
  const Instant begun_;
  WallTime base_time_;  // the store's time, and when that was
  Instant base_;
  std::optional<RequestToken> token_;   // of a request without an answer
  std::optional<Duration> reply_time_;  // the longest of late; none: not known yet
  std::optional<ConnectPacer> local_;   // while the store is away
  Instant ask_at_{};
  int refusals_ = 0;           // in a row
  bool is_by_second_ = false;  // the store counts so
  bool is_time_set_ = false;   // the store was asked what time it is
  bool is_fetching_ = false;
  bool is_staggered_ = false;
  bool is_closed_ = false;
  std::uint64_t waits_ = 0;
  std::uint64_t lost_places_ = 0;
};

}  // namespace forebay
