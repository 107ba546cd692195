// What a server's kind says about a pool's options where they say nothing themselves.
#pragma once

#include "forebay/pool/pool_defaults.hpp"
#include "forebay/postgres/driver/libpq_connector.hpp"
#include "forebay/postgres/driver/server_profile.hpp"

namespace forebay::postgres {

// The one place that says what a pool is like if nobody says otherwise: for such a server, with
// such a supply. Options made in code and those of a configuration are both completed by it.
PoolDefaults pool_defaults(const ServerProfile& profile, Supply supply);

// The options as they hold for such a server.
PoolOptions with_defaults_of(const ServerProfile& profile, PoolOptions options);

// What the options say to the driver. REQUIRES: they hold for such a server.
LibpqSettings libpq_settings(const ServerProfile& profile, const PoolOptions& options);

}  // namespace forebay::postgres
