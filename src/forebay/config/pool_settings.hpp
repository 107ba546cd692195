// What the settings say about the pool, and what holds of it where they say nothing.
#pragma once

#include "forebay/config/settings.hpp"
#include "forebay/postgres/driver/server_profile.hpp"

namespace forebay::config {

// PostgreSQL if the target cannot be read.
postgres::ServerProfile profile_of(const DatabaseTarget& database);

// What was said, and nothing else: the rest is the server's kind to say.
PoolOptions pool_of(const Settings& settings);

// The settings with what holds for such a server where nothing was said. Without a number of its
// own, the pool's maximum stays unsaid if it follows from that of the tenants.
Settings completed(Settings settings, const postgres::ServerProfile& profile);

}  // namespace forebay::config
