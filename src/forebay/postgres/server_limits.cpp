#include "forebay/postgres/server_limits.hpp"

namespace forebay::postgres {
namespace {

// A process that does not know its peers takes a tenth of what the whole cluster may.
constexpr double kShareOfRate = 0.1;

}  // namespace

PoolOptions with_limits_of(const ServerProfile& profile, PoolOptions options) {
  if (options.server_limit == Duration::max() && profile.session_limit) {
    options.server_limit = *profile.session_limit;
  }
  if (options.longest_transaction == Duration::zero() && profile.transaction_limit) {
    options.longest_transaction = *profile.transaction_limit;
  }
  if (options.connect_rate == 0 && profile.connect_rate) {
    options.connect_rate = profile.connect_rate->per_second * kShareOfRate;
    options.connect_burst = static_cast<int>(profile.connect_rate->burst * kShareOfRate);
  }
  return options;
}

LibpqSettings libpq_settings(const ServerProfile& profile, const PoolOptions& options) {
  LibpqSettings settings;
  settings.server_notices_after = options.server_notices_after;
  if (profile.transaction_limit) settings.longest_work = options.longest_transaction;
  settings.give_up_after = options.on_stuck_close.limit();
  return settings;
}

}  // namespace forebay::postgres
