#include "forebay/postgres/driver/server_limits.hpp"

namespace forebay::postgres {
namespace {

// A process that does not know its peers takes a tenth of what the whole cluster may.
constexpr double kShareOfRate = 0.1;

// Where connects are rationed, a pool opens all that it may have at the start and lets none of them
// go before its time, so that nobody waits for a connect under load.
constexpr int kMaxWhereRationed = 100;

}  // namespace

PoolDefaults pool_defaults(const ServerProfile& profile, Supply supply) {
  PoolDefaults defaults;
  if (profile.session_limit) defaults.server_limit = *profile.session_limit;
  if (profile.transaction_limit) defaults.longest_transaction = *profile.transaction_limit;
  if (profile.session_limit)
    defaults.longest_lifetime = defaults.server_limit - defaults.longest_transaction;
  if (!profile.connect_rate) return defaults;
  defaults.connect_rate = profile.connect_rate->per_second * kShareOfRate;
  defaults.connect_burst = static_cast<int>(profile.connect_rate->burst * kShareOfRate);
  defaults.max = kMaxWhereRationed;
  defaults.keeps_all_open = supply == Supply::standard;
  if (supply == Supply::standard) defaults.idle_timeout = Duration::max();
  return defaults;
}

PoolOptions with_defaults_of(const ServerProfile& profile, PoolOptions options) {
  const PoolDefaults defaults = pool_defaults(profile, options.supply);
  return completed(std::move(options), defaults);
}

LibpqSettings libpq_settings(const ServerProfile& profile, const PoolOptions& options) {
  LibpqSettings settings;
  settings.server_notices_after = options.server_notices_after;
  if (profile.transaction_limit) settings.longest_work = options.longest_transaction;
  settings.give_up_after = options.on_stuck_close.limit();
  settings.session = options.session;
  settings.call_timeout = options.call_timeout;
  settings.observation = Observation{options.observer, options.name};
  settings.session_settings = options.session_settings;
  return settings;
}

}  // namespace forebay::postgres
