// LeaseTerm: for how long what this process holds in a store is surely its own, and when it has to
// say again that it lives. The one way to keep a lease, whatever is leased.
//
// Others may have what was silent for a ttl, by their clocks. A holder counts from before it sent
// the request that they see, by its own: its term is over before theirs. Renewals are due after a
// third of the ttl, so that two more tries of any length fit in; the jitter keeps processes that
// started together from renewing together. No pause between tries is longer than a sixth of it:
// after an outage of whatever length everybody has a ttl to be heard again, and is.
//
// Pure; the caller passes the time and the chance.
#pragma once

#include <algorithm>

#include "forebay/core/backoff.hpp"
#include "forebay/env/random.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class LeaseTerm {
 public:
  LeaseTerm(Duration ttl, BackoffRule backoff) : ttl_(ttl), backoff_(backoff) {
    backoff_.longest = std::min(backoff_.longest, ttl / 6);
    backoff_.first = std::min(backoff_.first, backoff_.longest);
  }

  // It is held by a request that was sent then.
  void begin(Instant sent, Random& random) {
    heard_ = sent;
    failures_ = 0;
    plan(sent, random);
  }
  // So it is by this one, which was a renewal.
  void renewed(Instant sent, Random& random) {
    heard_ = std::max(heard_, sent);
    failures_ = 0;
    plan(sent, random);
  }
  // A renewal had no answer: it is repeated before long.
  void failed(Instant now, Random& random) {
    ++failures_;
    renew_at_ = deadline_after(now, backoff_delay(backoff_, failures_, random));
  }
  // There is something to tell with the next renewal.
  void hurry(Instant now) { renew_at_ = renew_at_ == kNever ? kNever : std::min(renew_at_, now); }
  // A renewal was answered, and what is held is no longer what it was about.
  void answered() { failures_ = 0; }
  // Nothing is held, or nobody knows.
  void end() { renew_at_ = kNever; }

  // Until then it is surely held. REQUIRES: it has begun.
  Instant ends_at() const { return heard_ + ttl_; }
  Instant heard_at() const { return heard_; }  // the last request that others surely saw
  Instant renew_at() const { return renew_at_; }
  // How long to wait for the answer to a renewal, whatever a request may take otherwise: several
  // must fit between two that are due.
  Instant answer_by(Instant sent) const { return deadline_after(sent, ttl_ / 6); }
  int failures() const { return failures_; }  // of renewals, in a row until now

 private:
  void plan(Instant sent, Random& random) {
    const Duration every = ttl_ / 3;
    renew_at_ = sent + every - random.between(Duration::zero(), every / 4);
  }

  const Duration ttl_;
  BackoffRule backoff_;
  Instant heard_{};
  Instant renew_at_ = kNever;
  int failures_ = 0;
};

}  // namespace forebay
