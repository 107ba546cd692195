// PoolDefaults: what holds where the options of a pool say nothing. As they stand here, for a
// server that sets no limits of its own: a PostgreSQL.
#pragma once

#include <chrono>

#include "forebay/pool/options.hpp"

namespace forebay {

struct PoolDefaults {
  PoolDefaults() = default;

  int max = 10;                 // a tenth of what a PostgreSQL allows that nobody has configured
  bool keeps_all_open = false;  // without a reservoir
  Duration base_lifetime = std::chrono::minutes(11);     // of a reservoir's connections
  Duration longest_lifetime = std::chrono::minutes(10);  // of those without a reservoir
  Duration idle_timeout = std::chrono::minutes(5);
  double connect_rate = 0;
  int connect_burst = 1;
  Duration server_limit = Duration::max();
  Duration longest_transaction{};
};

// The options with everything said that PoolDefaults speaks of.
PoolOptions completed(PoolOptions options, const PoolDefaults& defaults = PoolDefaults());

// A new size for a pool: what it does not say stays as it was; one that kept all open still does.
PoolSize completed(PoolSize size, const PoolSize& before);

}  // namespace forebay
