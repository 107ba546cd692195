// CounterWatch: notices when the counter of leases and the leases themselves no longer add up.
//
// Our own requests change both together, so they differ only when somebody else wrote into the
// store. Fewer counted than leased: somebody has reset the counter, and the limit may be passed
// unless it is raised at once. More counted than leased: maybe nothing stands behind the drift,
// maybe connections of older clients do, whose leases DynamoDB deletes by itself while they live.
// So only that drift is taken back that was there for as long as any session can live, at every
// look, while no older client had a lease: clients that make new ones may be losing them as well.
//
// Pure; the caller passes the time.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "forebay/coordination/leases/lease_store.hpp"

namespace forebay {

class CounterWatch {
 public:
  explicit CounterWatch(Duration longest_session) : longest_session_(longest_session) {}

  // What the counter should be set to, if nothing has changed since the listing; none: leave it.
  std::optional<int> look(const LeaseListing& listing, Instant now) {
    // What changed meanwhile makes a drift of its own, which says nothing.
    if (!listing.is_still) return std::nullopt;
    const int drift = listing.active - listing.held_in_all();
    const bool has_older = std::any_of(listing.leases.begin(), listing.leases.end(),
                                       [](const LeaseRecord& lease) { return !lease.is_renewed; });
    if (drift <= 0 || has_older) forget();
    if (drift < 0) return listing.held_in_all();
    if (drift == 0 || has_older) return std::nullopt;

    if (since_ == kNever) since_ = now;
    smallest_ = std::min(smallest_, drift);
    if (now - since_ < longest_session_) return std::nullopt;
    return listing.active - smallest_;
  }
  // Contact with the store was interrupted, or the counter was set right.
  void forget() {
    since_ = kNever;
    smallest_ = std::numeric_limits<int>::max();
  }

 private:
  const Duration longest_session_;
  Instant since_ = kNever;  // when the drift was first seen; kNever: there is none
  int smallest_ = std::numeric_limits<int>::max();
};

}  // namespace forebay
