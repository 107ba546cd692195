// The pool that a process of a scenario has.
#pragma once

#include "forebay/core/backoff.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/sim/scenario/scenario.hpp"

namespace forebay::sim {

// After a conflict a transaction is run again, on the same connection.
inline constexpr int kMostRetries = 5;
inline constexpr BackoffRule kConflictBackoff{std::chrono::milliseconds(100),
                                              std::chrono::seconds(5), 25};

// Without a max of its own the pool may have what it keeps ready and what its callers hold on
// average at their busiest, and a tenth more, for replacements are opened before the old ones go.
// Permits come from the cluster, so the pool has no pace of its own.
PoolOptions pool_options(const ServiceSpec& service, const DatabaseSpec& database);

// One tenant's share of it: opens on demand, and no more than perTenantMax.
PoolOptions tenant_pool_options(const ServiceSpec& service, const DatabaseSpec& database);

// How many connections the process has open when all is well.
int expected_open(const ServiceSpec& service);

// How long before a lease may end its connections are retired, under the policy `fence`. Callers
// give back, and connections are closed, in half of it each.
Duration fence_before(const CoordinationSpec& coordination);
// How long a caller may have a connection, its retries after conflicts included.
Duration longest_hold(const WorkloadSpec& workload, const DatabaseSpec& database);

// DSQL's 5 minutes for sessions of 60; shorter in proportion where sessions are shorter.
Duration longest_transaction(const DatabaseSpec& database);

}  // namespace forebay::sim
