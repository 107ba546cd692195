#include "forebay/config/configuration.hpp"

#include <utility>

#include "forebay/base/dsql_host.hpp"
#include "forebay/config/pool_settings.hpp"
#include "forebay/postgres/driver/server_limits.hpp"
#include "forebay/postgres/driver/server_profile.hpp"
#include "forebay/postgres/postgres_tenants.hpp"

namespace forebay {
namespace {

// What the target says in the end, whichever way it was said. Empty if it cannot be read.
postgres::ConnectionString parsed(const DatabaseTarget& database) {
  const Result<postgres::ConnectionString> connection = database.connection();
  return connection ? *connection : postgres::ConnectionString();
}

// Tokens need a role and a database, and Aurora DSQL has one of each from the start.
DatabaseTarget complete(DatabaseTarget database) {
  const postgres::ConnectionString connection = parsed(database);
  if (!database.authentication) {
    const bool needs_token = is_dsql_host(connection.host()) && connection.get("password").empty();
    database.authentication = needs_token ? Authentication::iam : Authentication::password;
  }
  if (database.authentication == Authentication::iam) {
    if (connection.user().empty()) database.user = "admin";
    if (connection.database().empty()) database.name = "postgres";
  }
  return database;
}

// Without one that was given, there is one if tokens are needed.
std::optional<ClusterOptions> with_tokens(std::optional<ClusterOptions> cluster,
                                          const DatabaseTarget& database) {
  const bool has_tokens = database.authentication == Authentication::iam;
  if (!cluster && !has_tokens) return std::nullopt;
  const postgres::ConnectionString connection = parsed(database);
  ClusterOptions completed = cluster ? std::move(*cluster) : ClusterOptions();
  if (completed.endpoint.empty()) completed.endpoint = connection.host();
  if (has_tokens && completed.user.empty()) completed.user = connection.user();
  return completed;
}

// How many are ready is said of the one pool; a tenant's is smaller than that.
TenantOptions tenants_of(const config::Settings& settings, const PoolOptions& pool) {
  TenantOptions tenants = settings.tenants;
  if (settings.max_connections) tenants.max_connections = *settings.max_connections;
  tenants.pool = pool;
  tenants.pool.size = PoolSize();
  tenants.pool.size.max = tenants.max_per_tenant;
  return tenants;
}

std::optional<ClusterOptions> cluster_of(const config::Settings& settings,
                                         const DatabaseTarget& database) {
  const bool has_tokens = database.authentication == Authentication::iam;
  if (!settings.is_lease_shared && !settings.is_rate_shared && !has_tokens) return std::nullopt;
  ClusterOptions cluster = settings.cluster;
  if (!settings.is_lease_shared) cluster.lease_table.clear();
  if (!settings.is_rate_shared) cluster.rate_table.clear();
  if (!settings.is_staggered) cluster.stagger = Duration::zero();
  return with_tokens(std::move(cluster), database);
}

// Of what is opened with it, which is found by the last, and of its cluster.
template <class Find>
OptionProblems problems_with(std::string_view part, const Configuration& configuration, Find find) {
  const Result<postgres::ConnectionString> connection = configuration.database.connection();
  OptionProblems wrong;
  if (!connection) {
    wrong.emplace_back("database", "", connection.error().text());
    return wrong;
  }
  append(wrong, within(part, find(*connection)));
  if (configuration.cluster) append(wrong, within("cluster", problems(*configuration.cluster)));
  return wrong;
}

}  // namespace

// How it authenticates depends on a host that is yet to be set.
Configuration::Configuration() : Configuration(config::Settings()) {
  database.authentication.reset();
}

Configuration::Configuration(const config::Settings& settings_read)
    : database(complete(settings_read.database)),
      pool(config::pool_of(settings_read)),
      cluster(cluster_of(settings_read, database)),
      tenants(tenants_of(settings_read, pool)),
      retry(settings_read.retry),
      log_level(settings_read.log_level),
      log_format(settings_read.log_format) {
  if (settings_read.is_staggered && !settings_read.is_rate_shared)
    start_delay = settings_read.cluster.stagger;
}

Configuration Configuration::completed() const {
  Configuration completed = *this;
  completed.database = complete(database);
  const postgres::ServerProfile profile = config::profile_of(database);
  completed.pool = postgres::with_defaults_of(profile, pool);
  completed.tenants.pool = postgres::with_defaults_of(profile, tenants.pool);
  completed.cluster = with_tokens(cluster, completed.database);
  // The first permit of a shared rate is delayed already, and who shares no cluster gains nothing.
  const ClusterOptions shared = completed.cluster.value_or(ClusterOptions());
  const bool has_peers =
      !shared.lease_table.empty() || is_dsql_host(parsed(completed.database).host());
  if (!has_peers || !shared.rate_table.empty()) completed.start_delay = Duration::zero();
  return completed;
}

void apply_to_log(const Configuration& configuration) {
  if (configuration.log_format) log::set_format(*configuration.log_format);
  if (configuration.log_level) {
    log::set_level(*configuration.log_level);
  } else {
    log::suggest_level(log::Level::info);
  }
}

OptionProblems problems(const Configuration& configuration) {
  return problems_with("pool", configuration, [&](const postgres::ConnectionString& connection) {
    const auto profile = postgres::ServerProfile::for_host(connection.host());
    return problems(postgres::with_defaults_of(profile, configuration.pool));
  });
}

OptionProblems tenant_problems(const Configuration& configuration) {
  return problems_with("tenants", configuration, [&](const postgres::ConnectionString& connection) {
    return postgres::PostgresTenants::problems(connection.text_with_secrets(),
                                               configuration.tenants);
  });
}

}  // namespace forebay
