#include "forebay/doctor/configuration_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/config/rules.hpp"
#include "forebay/postgres/driver/server_profile.hpp"

namespace forebay::doctor {
namespace {

void report_mode(const Configuration& configuration, Notebook& notebook) {
  const PoolOptions pool = config::pool_at_server(configuration);
  if (pool.supply == Supply::reservoir) {
    notebook.ok(fmt::format("reservoir mode is on: {} of up to {} connections are kept ready",
                            pool.size.target_ready.value_or(*pool.size.max), *pool.size.max));
    return;
  }
  const Result<postgres::ConnectionString> target = configuration.database.connection();
  const bool has_limits =
      target && postgres::ServerProfile::for_host(target->host()).session_limit.has_value();
  const std::string what =
      *pool.size.keep_open > 0
          ? fmt::format(
                "reservoir mode is off: {} of up to {} connections are opened at the start "
                "and kept open",
                *pool.size.keep_open, *pool.size.max)
          : fmt::format("reservoir mode is off: connections are opened on demand, up to {}",
                        *pool.size.max);
  if (!has_limits) {
    notebook.ok(what);
    return;
  }
  notebook.note(what,
                "Aurora DSQL ends every session after an hour and limits connects a second; "
                "without a reservoir callers wait for connects in such moments",
                "set reservoir.enabled (DSQL_RESERVOIR_ENABLED=true) and restart the service");
}

}  // namespace

bool names_database(const DatabaseTarget& database, const Machine& machine) {
  if (!database.url.empty() || !database.host.empty() || !database.name.empty()) return true;
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"},
      [&](std::string_view name) { return machine.variable(name).has_value(); });
}

Findings check_configuration(const ConfigurationReading& reading, bool is_database_named) {
  Notebook notebook("configuration");
  for (const std::string& problem : reading.problems) {
    notebook.error(
        problem, "a service with this configuration does not start",
        "correct it; \"forebay config check\" shows all settings and where each is from");
  }
  for (const std::string& warning : reading.configuration.warnings) {
    notebook.warning(warning, "it works, but hardly as meant",
                     "give the value that is meant; docs/configuration.md has all settings");
  }
  if (!reading.problems.empty()) return notebook.take();
  const auto given =
      std::ranges::count_if(reading.configuration.settings,
                            [](const EffectiveSetting& each) { return !each.is_default; });
  notebook.ok(fmt::format("the configuration can be used; {} of {} settings are given", given,
                          reading.configuration.settings.size()));
  if (is_database_named) report_mode(reading.configuration, notebook);
  return notebook.take();
}

}  // namespace forebay::doctor
