// What a server's kind says about a pool's options where they say nothing themselves.
#pragma once

#include "forebay/pool/options.hpp"
#include "forebay/postgres/libpq_connector.hpp"
#include "forebay/postgres/server_profile.hpp"

namespace forebay::postgres {

// The options as they hold for such a server: its limits of sessions and transactions, and this
// process's share of its rate of connects.
PoolOptions with_limits_of(const ServerProfile& profile, PoolOptions options);

// What the options say to the driver. REQUIRES: they hold for such a server.
LibpqSettings libpq_settings(const ServerProfile& profile, const PoolOptions& options);

}  // namespace forebay::postgres
