// StoreContact: how well this process hears the store.
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
  // Contact that was interrupted for longer than this starts anew.
  explicit StoreContact(Duration longest_gap) : longest_gap_(longest_gap) {}

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

  // How long to wait for an answer: the whole timeout only when it seems to be needed. A reply that
  // was lost is asked for again soon; the request may be repeated.
  Duration patience(Duration timeout) const {
    return failures_ == 0 ? std::min<Duration>(timeout, std::chrono::seconds(1)) : timeout;
  }
  // Two failures in a row happen on any network; three mean that nobody is there.
  bool is_away() const { return silences_ >= 3; }
  int failures() const { return failures_; }  // in a row
  Instant since() const { return since_; }    // contact without a gap; kNever: no contact yet
  std::uint64_t requests() const { return requests_; }

 private:
  const Duration longest_gap_;
  Instant since_ = kNever;
  Instant last_answer_{};
  int failures_ = 0;
  int silences_ = 0;  // those of them in which nothing was heard
  std::uint64_t requests_ = 0;
};

}  // namespace forebay
