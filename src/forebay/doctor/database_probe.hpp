// Looks at the database through one connection, which is closed again. Nothing is changed there.
#pragma once

#include <string>

#include "forebay/config/configuration.hpp"
#include "forebay/doctor/database_check.hpp"
#include "forebay/env/env.hpp"
#include "forebay/postgres/driver/libpq_env.hpp"

namespace forebay::doctor {

// The token is sent as the password; if it is empty, the configuration's own is. Each step has the
// timeout. The connection counts at the server for that moment, and takes no lease and no permit:
// a look for the reason why there are none must not need them.
Task<DatabaseFacts> look_at_database(Env env, postgres::LibpqEnv libpq, DatabaseTarget database,
                                     std::string token, Duration timeout);

}  // namespace forebay::doctor
