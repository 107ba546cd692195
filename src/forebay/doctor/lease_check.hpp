// The cluster's counter against those who hold leases. Pure.
#pragma once

#include "forebay/coordination/leases/lease_store.hpp"
#include "forebay/doctor/finding.hpp"

namespace forebay::doctor {

// `ttl`: how long a holder may be silent, where a lease does not say it itself.
Findings check_leases(const LeaseListing& listing, int limit, Duration ttl, WallTime now);

// Processes of a service that renew their leases; those of the older kind cannot be told apart.
int processes_of(const std::string& service, const LeaseListing& listing);
// What the leases of other services, and those of the older kind, hold.
int held_by_others(const std::string& service, const LeaseListing& listing);

}  // namespace forebay::doctor
