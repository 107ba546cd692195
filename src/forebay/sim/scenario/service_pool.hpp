// The pool that a process of a scenario has.
#pragma once

#include "forebay/pool/options.hpp"
#include "forebay/sim/scenario/scenario.hpp"
#include "forebay/tenants/tenant_options.hpp"

namespace forebay::sim {

// Without a max of its own the pool may have what it keeps ready and what its callers hold on
// average at their busiest, and a tenth more, for replacements are opened before the old ones go.
// Permits come from the cluster, so the pool has no pace of its own.
PoolOptions pool_options(const ServiceSpec& service, const DatabaseSpec& database);

// With tenants, the max is that of all of them together, and these are the options of their pools.
TenantOptions tenant_options(const ServiceSpec& service, const DatabaseSpec& database);

// How many connections the process has open when all is well.
int expected_open(const ServiceSpec& service);

// How long before a lease may end its connections are retired, under the policy `fence`. Callers
// give back, and connections are closed, in half of it each.
Duration fence_before(const CoordinationSpec& coordination);
// How long a caller may have a connection. It has none while it waits for a retry.
Duration longest_hold(const WorkloadSpec& workload);

// How long the database may count the sessions of a process that has died.
Duration session_linger(const Scenario& scenario);

// DSQL's 5 minutes for sessions of 60; shorter in proportion where sessions are shorter.
Duration longest_transaction(const DatabaseSpec& database);

}  // namespace forebay::sim
