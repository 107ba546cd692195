// What reading the configuration brought. Pure.
#pragma once

#include "forebay/config/read_configuration.hpp"
#include "forebay/doctor/finding.hpp"

namespace forebay::doctor {

// Whether a database is named, be it by libpq's own variables.
bool names_database(const DatabaseTarget& database, const Machine& machine);

// Without a database nothing is said of how it would be used.
Findings check_configuration(const ConfigurationReading& reading, bool is_database_named = true);

}  // namespace forebay::doctor
