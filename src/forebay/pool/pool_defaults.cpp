#include "forebay/pool/pool_defaults.hpp"

#include <algorithm>

namespace forebay {
namespace {

template <class T>
void say(std::optional<T>& option, T value) {
  if (!option) option = value;
}

// Lives spread to both sides of it, and without a reservoir none is longer than the longest.
// REQUIRES: the server's limits have been said.
Duration lifetime_of(const PoolOptions& options, const PoolDefaults& defaults) {
  if (options.supply == Supply::reservoir) return defaults.base_lifetime;
  Duration longest = defaults.longest_lifetime;
  if (options.server_limit != Duration::max()) {
    const Duration cap = options.server_limit - options.longest_transaction;
    if (cap > Duration::zero()) longest = std::min(longest, cap);
  }
  return longest - std::clamp(options.lifetime_jitter, Duration::zero(), longest) / 2;
}

}  // namespace

PoolOptions completed(PoolOptions options, const PoolDefaults& defaults) {
  say(options.size.max, defaults.max);
  say(options.size.keep_open, defaults.keeps_all_open ? std::max(0, *options.size.max) : 0);
  say(options.idle_timeout, defaults.idle_timeout);
  say(options.connect_rate, defaults.connect_rate);
  say(options.connect_burst, defaults.connect_burst);
  if (options.server_limit == Duration::max()) options.server_limit = defaults.server_limit;
  if (options.longest_transaction == Duration::zero())
    options.longest_transaction = defaults.longest_transaction;
  say(options.lifetime, lifetime_of(options, defaults));
  return options;
}

PoolSize completed(PoolSize size, const PoolSize& before) {
  say(size.max, *before.max);
  const bool kept_all = before.keep_open == before.max;
  say(size.keep_open, kept_all ? *size.max : std::min(*before.keep_open, *size.max));
  return size;
}

}  // namespace forebay
