#include "forebay/doctor/reason_advice.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace forebay::doctor {
namespace {

constexpr std::array<ReasonAdvice, 5> kRefillFailures{{
    {"rate_limit", "no permit to connect came in time: the rate is used up",
     "increase DSQL_CONNECTION_RATE_LIMIT (pool.connect_rate) or the shared rate.limit, check the "
     "table of the rate, stagger restarts"},
    {"token_provider", "no token could be made to log in with",
     "refresh the AWS credentials, check the role, dsql:DbConnect and dsql:DbConnectAdmin, "
     "AWS_REGION and the clock; \"forebay doctor\" with the service's configuration looks at all"},
    {"lease_acquire", "the cluster's limit is reached, or DynamoDB did not answer",
     "\"forebay leases show\" says who holds how many; scale down or reduce pools; if the counter "
     "is wrong, wait for it to be set right, or \"forebay leases reap\""},
    {"connection_open", "the database refused the connect, or did not answer",
     "check the database, its endpoint and region, security groups, VPC endpoints and the NAT "
     "gateway; the log has the server's words"},
    {"after_connect", "the service's own hook refused the connection",
     "see what the hook says in the service's log"},
}};

constexpr std::array<ReasonAdvice, 13> kDiscards{{
    {"insufficient_remaining_lifetime", "the guard window is large for the lifetime",
     "reduce the guard window (DSQL_RESERVOIR_GUARD_WINDOW) but keep it above the longest "
     "transaction, or increase the lifetime (DSQL_RESERVOIR_BASE_LIFETIME)"},
    {"expired_on_checkout", "connections sit in the reservoir for too long",
     "reduce the target (DSQL_RESERVOIR_TARGET_READY) to what is used"},
    {"expired_on_return", "transactions run longer than connections live",
     "increase the lifetime (DSQL_RESERVOIR_BASE_LIFETIME), or make transactions shorter"},
    {"expired_on_scan", "connections end before they can be replaced",
     "increase the lifetime (DSQL_RESERVOIR_BASE_LIFETIME) or the rate of connects"},
    {"reservoir_full", "more connections come back than are kept ready: demand is low",
     "reduce the target (DSQL_RESERVOIR_TARGET_READY) to the actual demand, or raise "
     "pool.max_ready (FOREBAY_POOL_MAX_READY)"},
    {"idle", "connections are opened and not needed for long",
     "raise pool.max_idle_time (DB_CONNECTION_MAX_IDLE_TIME), or keep fewer open"},
    {"broken", "connections break while they are in use",
     "check the network and the server's log: restarts, ended sessions, timeouts"},
    {"reset_failed", "sessions cannot be cleared when they come back",
     "check the server's log, and that transactions end before connections are given back"},
    {"check_failed", "idle connections die: a NAT, a firewall or the server ends them",
     "set pool.check_after_idle (FOREBAY_POOL_CHECK_AFTER_IDLE) below what ends them"},
    {"hook_failed", "the service's own hook refuses connections",
     "see what the hook says in the service's log"},
    {"discarded", "the service throws connections away", "find out why: its code calls discard()"},
    {"lease_lost", "the cluster no longer counted them as this process's",
     "check that DynamoDB can be reached, and leases.ttl (FOREBAY_LEASES_TTL)"},
}};

// How lives end as they should.
constexpr std::array<std::string_view, 5> kPlanned{"expiring_soon_on_scan", "replaced", "shrunk",
                                                   "evicted_tenant", "closed"};

constexpr ReasonAdvice kUnknown{"", "this version of the doctor does not know the reason",
                                "see the service's log"};

const ReasonAdvice& find(std::span<const ReasonAdvice> table, std::string_view reason) {
  const auto found = std::ranges::find(table, reason, &ReasonAdvice::reason);
  return found == table.end() ? kUnknown : *found;
}

}  // namespace

const ReasonAdvice& refill_failure_advice(std::string_view reason) {
  return find(kRefillFailures, reason);
}

const ReasonAdvice& discard_advice(std::string_view reason) { return find(kDiscards, reason); }

bool is_planned_discard(std::string_view reason) {
  return std::ranges::find(kPlanned, reason) != kPlanned.end();
}

}  // namespace forebay::doctor
