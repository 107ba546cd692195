// The table: every key and variable there is. Those that begin with DSQL_ and DB_ have the names,
// defaults and rules that services of the older kind know; ours begin with FOREBAY_.
//
// One default differs on purpose: DSQL_RESERVOIR_LOW_WATERMARK is the target, not the pool's
// maximum. There it is where refilling gets faster; here the start waits for it, and target_ready
// alone, if it is below the maximum, would always be raised to it.
#include <array>
#include <utility>

#include "forebay/config/setting.hpp"
#include "forebay/config/setting_value.hpp"

namespace forebay::config {

template <>
struct Words<Authentication> {
  static constexpr std::string_view kType = "password or iam";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, Authentication>>(
      {{"password", Authentication::password}, {"iam", Authentication::iam}});
};
template <>
struct Words<TakeOrder> {
  static constexpr std::string_view kType = "newest or oldest";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, TakeOrder>>(
      {{"newest", TakeOrder::newest_first}, {"oldest", TakeOrder::oldest_first}});
};
template <>
struct Words<LeaseLoss> {
  static constexpr std::string_view kType = "keep or fence";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, LeaseLoss>>(
      {{"keep", LeaseLoss::keep}, {"fence", LeaseLoss::fence}});
};
template <>
struct Words<RateMode> {
  static constexpr std::string_view kType = "bucket or window";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, RateMode>>(
      {{"bucket", RateMode::bucket}, {"window", RateMode::window}});
};
template <>
struct Words<StoreAbsence> {
  static constexpr std::string_view kType = "hold or local";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, StoreAbsence>>(
      {{"hold", StoreAbsence::hold}, {"local", StoreAbsence::local}});
};
template <>
struct Words<log::Level> {
  static constexpr std::string_view kType = "debug, info, warning or error";
  static constexpr auto kWords =
      std::to_array<std::pair<std::string_view, log::Level>>({{"debug", log::Level::debug},
                                                              {"info", log::Level::info},
                                                              {"warning", log::Level::warning},
                                                              {"error", log::Level::error}});
};
template <>
struct Words<log::Format> {
  static constexpr std::string_view kType = "text or json";
  static constexpr auto kWords = std::to_array<std::pair<std::string_view, log::Format>>(
      {{"text", log::Format::text}, {"json", log::Format::json}});
};

namespace {

template <auto... path>
constexpr SettingValue database() {
  return value_of<&Settings::database, path...>();
}
template <auto... path>
constexpr SettingValue pool() {
  return value_of<&Settings::pool, path...>();
}
template <auto member>
constexpr SettingValue pool_time_or_off() {
  return value_with<TimeOrOff, &Settings::pool, member>();
}
template <auto... path>
constexpr SettingValue size() {
  return pool<&PoolOptions::size, path...>();
}
template <auto... path>
constexpr SettingValue cluster() {
  return value_of<&Settings::cluster, path...>();
}
template <auto... path>
constexpr SettingValue tenants() {
  return value_of<&Settings::tenants, path...>();
}
template <auto... path>
constexpr SettingValue retry() {
  return value_of<&Settings::retry, path...>();
}

constexpr auto kSettings = std::to_array<Setting>({
    {.key = "database.url",
     .variable = "FOREBAY_DATABASE_URL",
     .value = database<&DatabaseTarget::url>(),
     .help =
         "postgresql:// URL or key=value pairs; what the keys below say counts more, but not those "
         "of the file more than this variable",
     .secrecy = Secrecy::in_url},
    {.key = "database.host",
     .variable = "DB_HOST",
     .value = database<&DatabaseTarget::host>(),
     .help = "the server; shared limits belong to it",
     .otherwise = "libpq's"},
    {.key = "database.port",
     .variable = "DB_PORT",
     .value = database<&DatabaseTarget::port>(),
     .help = "of the server",
     .otherwise = "libpq's"},
    {.key = "database.user",
     .variable = "DB_USER",
     .value = database<&DatabaseTarget::user>(),
     .help = "the role; tokens are made for it",
     .otherwise = "admin with tokens, else libpq's"},
    {.key = "database.password",
     .variable = "DB_PASSWORD",
     .value = database<&DatabaseTarget::password>(),
     .help = "better in the environment than in a file",
     .secrecy = Secrecy::secret},
    {.key = "database.name",
     .variable = "DB_NAME",
     .value = database<&DatabaseTarget::name>(),
     .help = "of tenants: the database of the system",
     .otherwise = "postgres with tokens, else libpq's"},
    {.key = "database.sslmode",
     .variable = "DB_SSLMODE",
     .value = database<&DatabaseTarget::sslmode>(),
     .help = "disable, allow, prefer, require, verify-ca or verify-full",
     .otherwise = "require on Aurora DSQL, else libpq's"},
    {.key = "database.authentication",
     .variable = "FOREBAY_DATABASE_AUTHENTICATION",
     .value = database<&DatabaseTarget::authentication>(),
     .help = "iam: tokens of Aurora DSQL, with credentials as the AWS tools find them",
     .otherwise = "iam on Aurora DSQL without a password, else password"},
    {.key = "database.token_lifetime",
     .variable = "FOREBAY_DATABASE_TOKEN_LIFETIME",
     .value = cluster<&ClusterOptions::token_lifetime>(),
     .help = "how long a token can be used to connect",
     .option = "cluster.token_lifetime"},

    {.key = "pool.name",
     .variable = "FOREBAY_POOL_NAME",
     .value = pool<&PoolOptions::name>(),
     .help = "in logs and errors"},
    {.key = "pool.max",
     .variable = "FOREBAY_POOL_MAX",
     .value = value_of<&Settings::pool_max>(),
     .help = "connections of one pool, from opening to closed",
     .otherwise = "tenants.max_connections"},
    {.key = "pool.max_lifetime",
     .variable = "DB_CONNECTION_MAX_LIFETIME",
     .value = value_of<&Settings::max_lifetime>(),
     .help = "of connections without a reservoir; the shortest is reservoir.lifetime_jitter less"},
    {.key = "pool.max_idle_time",
     .variable = "DB_CONNECTION_MAX_IDLE_TIME",
     .value = pool_time_or_off<&PoolOptions::idle_timeout>(),
     .help = "what is not needed and has been idle for so long is closed",
     .option = "pool.idle_timeout"},
    {.key = "pool.min_idle",
     .variable = "FOREBAY_POOL_MIN_IDLE",
     .value = size<&PoolSize::min_idle>(),
     .help = "without a reservoir: kept ready"},
    {.key = "pool.keep_open",
     .variable = "FOREBAY_POOL_KEEP_OPEN",
     .value = size<&PoolSize::keep_open>(),
     .help = "without a reservoir: opened one by one at the start, then kept open"},
    {.key = "pool.max_ready",
     .variable = "FOREBAY_POOL_MAX_READY",
     .value = size<&PoolSize::max_ready>(),
     .help = "what is given back above it is closed",
     .otherwise = "pool.max"},
    {.key = "pool.take_order",
     .variable = "FOREBAY_POOL_TAKE_ORDER",
     .value = pool<&PoolOptions::take_order>(),
     .help = "which of the ready connections is handed out first"},
    {.key = "pool.connect_rate",
     .variable = "DSQL_CONNECTION_RATE_LIMIT",
     .value = pool<&PoolOptions::connect_rate>(),
     .help =
         "connects a second of this process, unless rate.enabled; 0: as the server's kind allows"},
    {.key = "pool.connect_burst",
     .variable = "DSQL_CONNECTION_BURST_LIMIT",
     .value = pool<&PoolOptions::connect_burst>(),
     .help = "connects at once when rested"},
    {.key = "pool.max_opening",
     .variable = "FOREBAY_POOL_MAX_OPENING",
     .value = pool<&PoolOptions::max_opening>(),
     .help = "connects in flight at once"},
    {.key = "pool.longest_transaction",
     .variable = "FOREBAY_POOL_LONGEST_TRANSACTION",
     .value = pool<&PoolOptions::longest_transaction>(),
     .help = "kept free before the server's own limit of a session; 0s: as the server's kind says"},
    {.key = "pool.check_after_idle",
     .variable = "FOREBAY_POOL_CHECK_AFTER_IDLE",
     .value = pool_time_or_off<&PoolOptions::check_after_idle>(),
     .help = "an idle connection is asked so often whether it lives"},
    {.key = "pool.leak_after",
     .variable = "FOREBAY_POOL_LEAK_AFTER",
     .value = pool_time_or_off<&PoolOptions::leak_after>(),
     .help = "who holds a connection for longer is reported"},
    {.key = "pool.admission_timeout",
     .variable = "FOREBAY_POOL_ADMISSION_TIMEOUT",
     .value = pool<&PoolOptions::admission_timeout>(),
     .help = "for a lease, and for a permit"},
    {.key = "pool.connect_timeout",
     .variable = "FOREBAY_POOL_CONNECT_TIMEOUT",
     .value = pool<&PoolOptions::connect_timeout>(),
     .help = "for one connect"},
    {.key = "pool.reset_timeout",
     .variable = "FOREBAY_POOL_RESET_TIMEOUT",
     .value = pool<&PoolOptions::reset_timeout>(),
     .help = "for clearing a session"},
    {.key = "pool.check_timeout",
     .variable = "FOREBAY_POOL_CHECK_TIMEOUT",
     .value = pool<&PoolOptions::check_timeout>(),
     .help = "for a sign of life"},
    {.key = "pool.cancel_timeout",
     .variable = "FOREBAY_POOL_CANCEL_TIMEOUT",
     .value = pool<&PoolOptions::cancel_timeout>(),
     .help = "for cancelling a statement that ran into its deadline; 0s: nothing is cancelled"},
    {.key = "pool.server_notices_after",
     .variable = "FOREBAY_POOL_SERVER_NOTICES_AFTER",
     .value = pool_time_or_off<&PoolOptions::server_notices_after>(),
     .help = "the server is told to miss us so soon, and our sockets to miss the server"},
    {.key = "pool.on_stuck_close",
     .variable = "FOREBAY_POOL_ON_STUCK_CLOSE",
     .value = pool<&PoolOptions::on_stuck_close>(),
     .help = "the place of a session that the server, as far as can be known, has not let go of"},
    {.key = "pool.open_wait",
     .variable = "FOREBAY_POOL_OPEN_WAIT",
     .value = pool<&PoolOptions::open_wait>(),
     .help = "how long open() waits when nothing is ready"},
    {.key = "pool.initial_fill_limit",
     .variable = "FOREBAY_POOL_INITIAL_FILL_LIMIT",
     .value = pool<&PoolOptions::initial_fill_limit>(),
     .help = "how long the start waits for the low watermark; then it warns and goes on"},
    {.key = "pool.warm_up_retries",
     .variable = "FOREBAY_POOL_WARM_UP_RETRIES",
     .value = pool<&PoolOptions::warm_up_retries>(),
     .help = "of each connection that pool.keep_open opens at the start"},
    {.key = "pool.backoff_first",
     .variable = "FOREBAY_POOL_BACKOFF_FIRST",
     .value = pool<&PoolOptions::backoff, &BackoffRule::first>(),
     .help = "the pause after a failed connect; it doubles with each",
     .option = "pool.backoff"},
    {.key = "pool.backoff_longest",
     .variable = "FOREBAY_POOL_BACKOFF_LONGEST",
     .value = pool<&PoolOptions::backoff, &BackoffRule::longest>(),
     .help = "up to so much"},

    {.key = "reservoir.enabled",
     .variable = "DSQL_RESERVOIR_ENABLED",
     .value = value_of<&Settings::is_reservoir>(),
     .help = "connections are opened ahead of demand and kept ready",
     .wrong = Wrong::is_false},
    {.key = "reservoir.target_ready",
     .variable = "DSQL_RESERVOIR_TARGET_READY",
     .value = size<&PoolSize::target_ready>(),
     .help = "how many are kept ready; raised to the low watermark if it is below",
     .otherwise = "pool.max",
     .option = "pool.target_ready"},
    {.key = "reservoir.low_watermark",
     .variable = "DSQL_RESERVOIR_LOW_WATERMARK",
     .value = size<&PoolSize::low_watermark>(),
     .help = "the start waits until so many are ready",
     .otherwise = "reservoir.target_ready",
     .option = "pool.low_watermark"},
    {.key = "reservoir.base_lifetime",
     .variable = "DSQL_RESERVOIR_BASE_LIFETIME",
     .value = pool<&PoolOptions::lifetime>(),
     .help = "of connections of a reservoir, ± half of the jitter; 0s and less means the default",
     .option = "pool.lifetime"},
    {.key = "reservoir.lifetime_jitter",
     .variable = "DSQL_RESERVOIR_LIFETIME_JITTER",
     .value = pool<&PoolOptions::lifetime_jitter>(),
     .help =
         "spreads lifetimes, so that connections do not end together; negative means 0s; without a "
         "reservoir, if not given, at most a fifth of pool.max_lifetime",
     .option = "pool.lifetime_jitter"},
    {.key = "reservoir.guard_window",
     .variable = "DSQL_RESERVOIR_GUARD_WINDOW",
     .value = pool<&PoolOptions::guard_window>(),
     .help =
         "with less of its life left, a connection is not handed out; negative means 0s; without a "
         "reservoir, if not given, at most a tenth of pool.max_lifetime",
     .option = "pool.guard_window"},

    {.key = "leases.enabled",
     .variable = "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED",
     .value = value_of<&Settings::is_lease_shared>(),
     .help = "all processes together stay within leases.limit, through DynamoDB",
     .wrong = Wrong::is_false},
    {.key = "leases.table",
     .variable = "DSQL_DISTRIBUTED_CONN_LEASE_TABLE",
     .value = cluster<&ClusterOptions::lease_table>(),
     .help = "the table; needed if leases.enabled",
     .option = "cluster.lease_table"},
    {.key = "leases.limit",
     .variable = "DSQL_DISTRIBUTED_CONN_LIMIT",
     .value = cluster<&ClusterOptions::limit>(),
     .help = "connections of the whole cluster",
     .option = "cluster.limit"},
    {.key = "leases.ttl",
     .variable = "FOREBAY_LEASES_TTL",
     .value = cluster<&ClusterOptions::ttl>(),
     .help = "a process that dies is missed after so long",
     .option = "cluster.ttl"},
    {.key = "leases.session_linger",
     .variable = "FOREBAY_LEASES_SESSION_LINGER",
     .value = cluster<&ClusterOptions::session_linger>(),
     .help = "how long the database may count the sessions of a process that died; its leases come "
             "back so long after the ttl",
     .otherwise = "5m for Aurora DSQL, 30s otherwise",
     .option = "cluster.session_linger"},
    {.key = "leases.on_loss",
     .variable = "FOREBAY_LEASES_ON_LOSS",
     .value = cluster<&ClusterOptions::on_loss>(),
     .help =
         "keep: open connections are leased anew; fence: they are retired before the lease ends"},
    {.key = "leases.fence_before",
     .variable = "FOREBAY_LEASES_FENCE_BEFORE",
     .value = cluster<&ClusterOptions::fence_before>(),
     .help = "fence: how long before the end",
     .otherwise = "a sixth of leases.ttl",
     .option = "cluster.fence_before"},

    {.key = "rate.enabled",
     .variable = "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED",
     .value = value_of<&Settings::is_rate_shared>(),
     .help = "all processes together connect at rate.limit at most, through DynamoDB",
     .wrong = Wrong::is_false},
    {.key = "rate.table",
     .variable = "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE",
     .value = cluster<&ClusterOptions::rate_table>(),
     .help = "the table; needed if rate.enabled; it may be that of the leases",
     .option = "cluster.rate_table"},
    {.key = "rate.limit",
     .variable = "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT",
     .value = cluster<&ClusterOptions::connects_per_second>(),
     .help = "connects a second of the whole cluster",
     .option = "cluster.connects_per_second"},
    {.key = "rate.max_wait",
     .variable = "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT",
     .value = cluster<&ClusterOptions::max_wait>(),
     .help = "for a permit; pool.admission_timeout, if not given, is as long at least",
     .option = "cluster.max_wait"},
    {.key = "rate.burst",
     .variable = "FOREBAY_RATE_BURST",
     .value = cluster<&ClusterOptions::burst>(),
     .help = "bucket: connects at once when rested",
     .option = "cluster.burst"},
    {.key = "rate.mode",
     .variable = "FOREBAY_RATE_MODE",
     .value = cluster<&ClusterOptions::rate_mode>(),
     .help = "window: so many in each clock second, as older clients count"},

    {.key = "startup.staggered",
     .variable = "DSQL_STAGGERED_STARTUP",
     .value = value_of<&Settings::is_staggered>(),
     .help = "a process waits for a random time before its first connect"},
    {.key = "startup.max_delay",
     .variable = "DSQL_STAGGERED_STARTUP_MAX_DELAY",
     .value = cluster<&ClusterOptions::stagger>(),
     .help = "at most so long, from 0s to 5m",
     .option = "cluster.stagger"},

    {.key = "cluster.service",
     .variable = "FOREBAY_CLUSTER_SERVICE",
     .value = cluster<&ClusterOptions::service>(),
     .help = "this process's service, for people who look into the tables"},
    {.key = "cluster.member",
     .variable = "FOREBAY_CLUSTER_MEMBER",
     .value = cluster<&ClusterOptions::member>(),
     .help = "this process, for the same",
     .otherwise = "cluster.service"},
    {.key = "cluster.on_absence",
     .variable = "FOREBAY_CLUSTER_ON_ABSENCE",
     .value = cluster<&ClusterOptions::on_absence>(),
     .help = "while DynamoDB is away: hold opens nothing more, local opens this process's share"},
    {.key = "cluster.request_timeout",
     .variable = "FOREBAY_CLUSTER_REQUEST_TIMEOUT",
     .value = cluster<&ClusterOptions::request_timeout>(),
     .help = "for a request to DynamoDB"},
    {.key = "cluster.region",
     .variable = "FOREBAY_CLUSTER_REGION",
     .value = cluster<&ClusterOptions::region>(),
     .help = "of the tables and tokens",
     .otherwise = "the host's, or as configured for the AWS tools"},
    {.key = "cluster.dynamodb_url",
     .variable = "FOREBAY_CLUSTER_DYNAMODB_URL",
     .value = cluster<&ClusterOptions::dynamodb_url>(),
     .help = "a DynamoDB of your own",
     .otherwise = "as configured for the AWS tools, or the region's"},

    {.key = "tenants.max_connections",
     .variable = "DB_MAX_CONNECTIONS",
     .value = tenants<&TenantOptions::max_connections>(),
     .help = "of all databases together, the system's included; at least 20"},
    {.key = "tenants.max_per_tenant",
     .variable = "DB_MAX_CONNECTIONS_PER_DB",
     .value = tenants<&TenantOptions::max_per_tenant>(),
     .help = "connections of one tenant's database"},
    {.key = "tenants.prefix",
     .variable = "DB_PREFIX",
     .value = tenants<&TenantOptions::prefix>(),
     .help = "a tenant's database is called <prefix>_ws_<tenant>"},
    {.key = "tenants.create_missing",
     .variable = "FOREBAY_TENANTS_CREATE_MISSING",
     .value = tenants<&TenantOptions::creates_missing_databases>(),
     .help = "databases that do not exist are created"},
    {.key = "tenants.stint",
     .variable = "FOREBAY_TENANTS_STINT",
     .value = tenants<&TenantOptions::stint>(),
     .help = "where more tenants want connections than there are, each may keep one for so long"},
    {.key = "tenants.max_known",
     .variable = "FOREBAY_TENANTS_MAX_KNOWN",
     .value = tenants<&TenantOptions::max_known_tenants>(),
     .help = "tenants without connections that are remembered",
     .option = "tenants.max_known_tenants"},

    {.key = "retry.max_retries",
     .variable = "FOREBAY_RETRY_MAX_RETRIES",
     .value = retry<&RetryPolicy::max_retries>(),
     .help = "of a transaction that lost a conflict, after the first attempt"},
    {.key = "retry.first_delay",
     .variable = "FOREBAY_RETRY_FIRST_DELAY",
     .value = retry<&RetryPolicy::backoff, &BackoffRule::first>(),
     .help = "the pause before the first retry; it doubles with each"},
    {.key = "retry.longest_delay",
     .variable = "FOREBAY_RETRY_LONGEST_DELAY",
     .value = retry<&RetryPolicy::backoff, &BackoffRule::longest>(),
     .help = "up to so much"},
    {.key = "retry.jitter_percent",
     .variable = "FOREBAY_RETRY_JITTER_PERCENT",
     .value = retry<&RetryPolicy::backoff, &BackoffRule::jitter_percent>(),
     .help = "taken off at most, by chance"},

    {.key = "log.level",
     .variable = "FOREBAY_LOG_LEVEL",
     .value = value_of<&Settings::log_level>(),
     .help = "what is less important is not told",
     .otherwise = "info, unless the application has set one"},
    {.key = "log.format",
     .variable = "FOREBAY_LOG_FORMAT",
     .value = value_of<&Settings::log_format>(),
     .help = "of the lines on stderr, if the application has no sink of its own",
     .otherwise = "text, unless the application has set one"},
});

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

}  // namespace forebay::config
