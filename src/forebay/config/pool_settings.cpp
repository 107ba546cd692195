#include "forebay/config/pool_settings.hpp"

#include <algorithm>

#include "forebay/postgres/driver/server_limits.hpp"

namespace forebay::config {

postgres::ServerProfile profile_of(const DatabaseTarget& database) {
  const Result<postgres::ConnectionString> connection = database.connection();
  return postgres::ServerProfile::for_host(connection ? connection->host() : "");
}

PoolOptions pool_of(const Settings& settings) {
  PoolOptions pool = settings.pool;
  if (!pool.size.max) pool.size.max = settings.max_connections;
  pool.supply = settings.is_reservoir ? Supply::reservoir : Supply::standard;
  const std::string& service = settings.cluster.service;
  if (service != ClusterOptions().service) pool.service = service;
  if (settings.is_reservoir) return pool;
  pool.lifetime.reset();
  if (!settings.max_lifetime) return pool;
  if (settings.max_lifetime == Duration::max()) {
    pool.lifetime = Duration::max();
    return pool;
  }
  // Lives spread to both sides of the lifetime, and none is longer than the longest.
  const Duration longest = std::max(*settings.max_lifetime, Duration::zero());
  const Duration jitter = std::clamp(pool.lifetime_jitter, Duration::zero(), longest);
  pool.lifetime = *settings.max_lifetime - jitter / 2;
  return pool;
}

Settings completed(Settings settings, const postgres::ServerProfile& profile) {
  const PoolOptions pool = postgres::with_defaults_of(profile, pool_of(settings));
  const PoolDefaults defaults = postgres::pool_defaults(profile, pool.supply);
  const auto say = [](auto& setting, const auto& value) {
    if (!setting) setting = value;
  };
  if (!settings.max_connections) say(settings.pool.size.max, pool.size.max);
  say(settings.pool.size.keep_open, pool.size.keep_open);
  say(settings.pool.idle_timeout, pool.idle_timeout);
  say(settings.pool.connect_rate, pool.connect_rate);
  say(settings.pool.connect_burst, pool.connect_burst);
  say(settings.pool.lifetime, defaults.base_lifetime);
  say(settings.max_lifetime, defaults.longest_lifetime);
  say(settings.max_connections, settings.tenants.max_connections);
  return settings;
}

}  // namespace forebay::config
