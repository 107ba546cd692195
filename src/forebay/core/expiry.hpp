// How long a connection lives and when it stops being handed out.
//
// lifetime = base + jitter in [-jitter/2, +jitter/2], never more than what the server allows less
// its longest transaction: a server that cuts at 60 minutes must not cut a transaction of ours.
#pragma once

#include "forebay/env/random.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

struct ExpiryRule {
  Duration lifetime = std::chrono::minutes(11);  // max: never
  Duration jitter = std::chrono::minutes(2);
  Duration guard_window = std::chrono::seconds(45);
  Duration server_limit = Duration::max();  // when the server cuts the session; max: never
  Duration longest_transaction{};
};

// The longest life that leaves room for the longest transaction before the server cuts.
Duration lifetime_cap(const ExpiryRule& rule);

// With half of the jitter; never (Duration::max()) is never.
constexpr Duration longest_life(Duration lifetime, Duration jitter) {
  return lifetime == Duration::max() ? lifetime : lifetime + jitter / 2;
}

// Of a life without an end, a century: retirements can still be counted, and nobody sees one.
Duration draw_lifetime(const ExpiryRule& rule, Random& random);

}  // namespace forebay
