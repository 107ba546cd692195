// StoreContact: how well this process hears the store, and so for how long it waits for an answer.
//
// Confined; the caller passes the time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "forebay/base/error.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class StoreContact {
 public:
  // Contact that was interrupted for longer than the gap starts anew.
  explicit StoreContact(Duration request_timeout, Duration longest_gap = Duration::max())
      : request_timeout_(request_timeout), longest_gap_(longest_gap) {}
  // Of one that holds a lease, or watches those of others: it starts anew after three eighths of a
  // ttl without an answer. A healthy process hears from the store more often than that, and one
  // that renewed a third of a ttl before a shorter outage has time to be heard after it.
  static StoreContact for_leases(Duration request_timeout, Duration ttl) {
    return StoreContact(request_timeout, ttl * 3 / 8);
  }

  void sent() { ++requests_; }
  void answered(Instant now) {
    if (since_ == kNever || now - last_answer_ > longest_gap_) since_ = now;
    last_answer_ = now;
    failures_ = 0;
    silences_ = 0;
  }
  // A store that is too busy is there.
  void failed(Errc code) {
    ++failures_;
    if (code != Errc::limit_reached) ++silences_;
  }

  // How long a request that is sent now waits for its answer: the whole timeout only when it seems
  // to be needed. A reply that was lost is asked for again soon; the request may be repeated.
  Instant answer_by(Instant now) const {
    const Duration patience = failures_ == 0
                                  ? std::min<Duration>(request_timeout_, std::chrono::seconds(1))
                                  : request_timeout_;
    return std::min(deadline_after(now, patience), ends_at_);
  }
  // No request waits for longer than that: this process is about to end.
  void end_by(Instant deadline) { ends_at_ = deadline; }

  // Two failures in a row happen on any network; three mean that nobody is there.
  bool is_away() const { return silences_ >= 3; }
  int failures() const { return failures_; }  // in a row
  Instant since() const { return since_; }    // contact without a gap; kNever: no contact yet
  std::uint64_t requests() const { return requests_; }

 private:
  const Duration request_timeout_;
  const Duration longest_gap_;
  Instant ends_at_ = kNever;
  Instant since_ = kNever;
  Instant last_answer_{};
  int failures_ = 0;
  int silences_ = 0;  // those of them in which nothing was heard
  std::uint64_t requests_ = 0;
};

}  // namespace forebay
