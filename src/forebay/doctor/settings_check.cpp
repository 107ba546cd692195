#include "forebay/doctor/settings_check.hpp"

#include <fmt/format.h>

#include "forebay/core/expiry.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::doctor {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kPrudentPartOfGuard = 4;         // guard windows in a life
constexpr Duration kForgetful = seconds(350);  // NAT gateways of AWS forget idle connections
constexpr Duration kShortTtl = seconds(30);    // renewed every third of it
constexpr Duration kShortToken = minutes(5);   // as early as that tokens are renewed
constexpr Duration kLongestToken = minutes(60 * 24 * 7);

// Guard window against lifetime.
void check_guard(const PoolOptions& pool, Notebook& notebook) {
  const Duration shortest = *pool.lifetime - pool.lifetime_jitter / 2;
  const std::string what =
      fmt::format("the guard window is {} of a lifetime of {}", duration_text(pool.guard_window),
                  duration_text(*pool.lifetime));
  const std::string advice =
      "reduce reservoir.guard_window (DSQL_RESERVOIR_GUARD_WINDOW), but keep it above the longest "
      "transaction, or increase reservoir.base_lifetime (DSQL_RESERVOIR_BASE_LIFETIME)";
  if (pool.guard_window >= shortest) {
    notebook.error(what, "a connection is in its guard window as soon as it is open: none is lent",
                   advice);
  } else if (pool.guard_window * kPrudentPartOfGuard > *pool.lifetime) {
    notebook.warning(what,
                     "for more than a quarter of its life a connection is not handed out; many are "
                     "discarded for insufficient_remaining_lifetime, and connects are wasted",
                     advice);
  } else {
    notebook.ok(what);
  }
}

// Lifetime against the server's cut.
void check_cut(const PoolOptions& pool, Notebook& notebook) {
  if (pool.server_limit == Duration::max()) return;
  const Duration longest = longest_life(*pool.lifetime, pool.lifetime_jitter);
  const Duration cut = pool.server_limit - pool.longest_transaction;
  const std::string what = fmt::format(
      "lives of up to {} and transactions of up to {}; the server ends sessions after {}",
      duration_text(longest), duration_text(pool.longest_transaction),
      duration_text(pool.server_limit));
  if (longest <= cut) {
    notebook.ok(what);
    return;
  }
  notebook.warning(
      what,
      fmt::format("lives are cut to {}, so they are spread less than the jitter says and may end "
                  "together",
                  duration_text(cut)),
      fmt::format("set reservoir.base_lifetime (DSQL_RESERVOIR_BASE_LIFETIME) to {} or less",
                  duration_text(cut - pool.lifetime_jitter / 2)));
}

void check_sizes(const PoolOptions& pool, Notebook& notebook) {
  if (pool.supply != Supply::reservoir) return;
  const int target = pool.size.target_ready.value_or(*pool.size.max);
  const int watermark = pool.size.low_watermark.value_or(target);
  if (target < watermark) {
    notebook.warning(
        fmt::format("the target, {}, is below the low watermark, {}", target, watermark),
        "the start waits for more connections than are kept ready",
        "raise reservoir.target_ready (DSQL_RESERVOIR_TARGET_READY), or lower "
        "reservoir.low_watermark (DSQL_RESERVOIR_LOW_WATERMARK)");
  }
  const int most = pool.size.max_ready.value_or(*pool.size.max);
  if (most < target) {
    notebook.warning(
        fmt::format("pool.max_ready is {}, below the target of {}", most, target),
        "what is given back above it is closed (reservoir_full) and opened again at once",
        "raise pool.max_ready (FOREBAY_POOL_MAX_READY) to the target at least");
  }
}

void check_idle(const PoolOptions& pool, Notebook& notebook) {
  if (pool.check_after_idle <= kForgetful) return;
  notebook.note(
      pool.check_after_idle == Duration::max()
          ? "idle connections are never checked"
          : fmt::format("idle connections are checked every {} only",
                        duration_text(pool.check_after_idle)),
      "a NAT gateway forgets a connection that was silent for 350 seconds, and its next user waits "
      "until TCP gives up",
      "set pool.check_after_idle (FOREBAY_POOL_CHECK_AFTER_IDLE) to 30s if there is a NAT or a "
      "firewall in between");
}

void check_ttl(const ClusterOptions& cluster, Notebook& notebook) {
  if (cluster.lease_table.empty() && cluster.id_table.empty()) return;
  if (cluster.ttl >= kShortTtl && cluster.ttl >= cluster.request_timeout * 4) {
    notebook.ok(fmt::format("a process that dies is missed after {}", duration_text(cluster.ttl)));
    return;
  }
  notebook.warning(fmt::format("leases live for {}, and a request to DynamoDB may take {}",
                               duration_text(cluster.ttl), duration_text(cluster.request_timeout)),
                   "a short absence of DynamoDB, or a paused process, costs a lease",
                   "set leases.ttl (FOREBAY_LEASES_TTL) to 3m, or cluster.request_timeout to less");
}

void check_token_lifetime(const ClusterOptions& cluster, Notebook& notebook) {
  if (cluster.user.empty()) return;
  const std::string what = fmt::format("tokens live for {}", duration_text(cluster.token_lifetime));
  if (cluster.token_lifetime < kShortToken) {
    notebook.warning(
        what,
        "tokens are renewed before their last 5 minutes, so nearly every connect signs "
        "one, and a clock that is a little off makes them useless",
        "set database.token_lifetime (FOREBAY_DATABASE_TOKEN_LIFETIME) to 15m");
  } else if (cluster.token_lifetime > kLongestToken) {
    notebook.warning(what, "Aurora DSQL accepts a week at most, and tokens are made for that",
                     "set database.token_lifetime (FOREBAY_DATABASE_TOKEN_LIFETIME) to 15m");
  }
}

}  // namespace

Findings check_settings(const PoolOptions& pool, const std::optional<ClusterOptions>& cluster) {
  Notebook notebook("settings");
  check_guard(pool, notebook);
  check_cut(pool, notebook);
  check_sizes(pool, notebook);
  check_idle(pool, notebook);
  if (cluster) {
    check_ttl(*cluster, notebook);
    check_token_lifetime(*cluster, notebook);
  }
  return notebook.take();
}

}  // namespace forebay::doctor
