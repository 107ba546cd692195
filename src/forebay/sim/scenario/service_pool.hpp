// The options of the processes of a scenario: those of the library, with the scenario's values.
#pragma once

#include "forebay/coordination/cluster_options.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/sim/scenario/scenario.hpp"
#include "forebay/tenants/tenant_options.hpp"

namespace forebay::sim {

// Without a max of its own the pool may have what it keeps ready and what its callers hold on
// average at their busiest, and a tenth more, for replacements are opened before the old ones go.
// Its permits come from the cluster; a process that is alone adds a pace of its own.
PoolOptions pool_options(const ServiceSpec& service, const DatabaseSpec& database);

// With tenants, the max is that of all of them together, and these are the options of their pools.
TenantOptions tenant_options(const ServiceSpec& service, const DatabaseSpec& database);

// How many connections the process has open when all is well.
int expected_open(const ServiceSpec& service);

// What the process is told of those with whom it shares the database, if coordination is enabled.
// Its own name is not among them.
ClusterOptions cluster_options(const Scenario& scenario);

// How long a caller may have a connection. It has none while it waits for a retry.
Duration longest_hold(const WorkloadSpec& workload);

// How long the database may count the sessions of a process that has died.
Duration session_linger(const Scenario& scenario);

// DSQL's 5 minutes for sessions of 60; shorter in proportion where sessions are shorter.
Duration longest_transaction(const DatabaseSpec& database);

}  // namespace forebay::sim
