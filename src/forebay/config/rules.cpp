#include "forebay/config/rules.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/suggestion.hpp"
#include "forebay/config/pool_settings.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/postgres/driver/server_limits.hpp"
#include "forebay/yaml/field.hpp"

namespace forebay::config {
namespace {

constexpr int kMostConnections = 1'000'000;
constexpr int kMostRetries = 1'000;
constexpr Duration kLongestStagger = std::chrono::minutes(5);
constexpr Duration kLongestPause = std::chrono::hours(24);

class Rules {
 public:
  Rules(const Origins& origins, std::vector<std::string>& sentences)
      : origins_(origins), sentences_(sentences) {}

  // "DB_PORT is 0: it must be ..."
  void require(bool holds, std::string_view key, const std::string& sentence) {
    const Setting& setting = setting_of(key);
    if (holds || origins_.is_refused(setting)) return;
    sentences_.push_back(fmt::format("{} {}", origins_.place(setting), sentence));
  }
  // What is wrong with options, told of the settings that set them.
  void add(std::string_view options, const OptionProblems& problems) {
    for (const OptionProblem& problem : within(options, problems)) {
      const Setting* const setting = setting_of_option(problem.option);
      if (setting == nullptr) {
        sentences_.push_back(sentence(problem));
      } else if (!origins_.is_refused(*setting)) {
        sentences_.push_back(sentence(origins_.place(*setting), problem));
      }
    }
  }
  // Of two settings in the wrong order, the one that was given is to blame. What is wrong with one
  // of them alone, its options tell.
  void require_order(std::string_view first_key, std::string_view longest_key,
                     BackoffRule& backoff) {
    const auto [first, longest] = std::pair(backoff.first, backoff.longest);
    if (first <= Duration::zero() || longest >= first) return;
    if (origins_.is_given(setting_of(longest_key))) {
      require(false, longest_key,
              fmt::format("is {}: it must not be shorter than {}, {}", duration_text(longest),
                          first_key, duration_text(first)));
    } else {
      require(false, first_key,
              fmt::format("is {}: it must not be longer than {}, {}", duration_text(first),
                          longest_key, duration_text(longest)));
    }
    backoff.longest = first;
  }

 private:
  const Origins& origins_;
  std::vector<std::string>& sentences_;
};

// What is typed into the wrong place may hold a password, and must not be shown then.
bool may_hold_password(std::string_view keyword, std::string_view value) {
  if (value.contains("://")) return true;
  if (std::string_view(keyword) == "host")
    return value.find_first_of("@= \t") != std::string_view::npos;
  return value.contains('=') && lower_case(value).contains("password");
}

bool is_plain_word(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (lower_case(c) >= 'a' && lower_case(c) <= 'z') || c == '-' || c == '_';
  });
}

void check_database(const Settings& settings, Rules& rules) {
  static const std::vector<std::string> kModes{"disable", "allow",     "prefer",
                                               "require", "verify-ca", "verify-full"};
  const DatabaseTarget& database = settings.database;
  const int port = database.port.value_or(5432);
  const bool is_port = port >= 1 && port <= 65535;
  rules.require(is_port, "database.port", fmt::format("is {}: it must be from 1 to 65535", port));
  rules.require(
      database.sslmode.empty() || std::ranges::find(kModes, database.sslmode) != kModes.end(),
      "database.sslmode",
      fmt::format("{}: it must be one of {}",
                  is_plain_word(database.sslmode) ? "is " + shown(database.sslmode) : "(not shown)",
                  joined(kModes)));
  DatabaseTarget url_alone;
  url_alone.url = database.url;
  const Result<postgres::ConnectionString> parsed = url_alone.connection();
  if (!parsed) rules.require(false, "database.url", "(not shown): " + parsed.error().text());
  const std::string_view whole = "holds more than that: give a whole URL as database.url instead";
  for (const auto& [key, keyword, value] :
       {std::tuple{"database.host", "host", std::string_view(database.host)},
        {"database.user", "user", database.user},
        {"database.name", "dbname", database.name}}) {
    rules.require(!may_hold_password(keyword, value), key, fmt::format("(not shown) {}", whole));
    rules.require(!parsed || !may_hold_password(keyword, parsed->get(keyword)), "database.url",
                  fmt::format("(not shown): its {} {}", keyword, whole));
  }
}

bool is_size(int max, int fewest) { return max >= fewest && max <= kMostConnections; }

// Right or wrong, whether or not there is a reservoir, which has another lifetime.
bool check_max_lifetime(const Settings& settings, const Configuration& configuration,
                        Rules& rules) {
  const Duration most = *completed(settings, profile_of(configuration.database)).max_lifetime;
  const bool is_right =
      most == Duration::max() || (most > Duration::zero() && most <= yaml::kLongestTime);
  rules.require(
      is_right, "pool.max_lifetime",
      fmt::format("is {}: it must be more than zero and at most 365 days", duration_text(most)));
  if (settings.is_reservoir) return true;
  const bool is_spread_right = !is_right || settings.pool.lifetime_jitter < most;
  rules.require(is_spread_right, "reservoir.lifetime_jitter",
                fmt::format("is {}: it must be shorter than pool.max_lifetime, {}",
                            duration_text(settings.pool.lifetime_jitter), duration_text(most)));
  return is_right && is_spread_right;
}

void check_pool(const Settings& settings, const Configuration& configuration,
                const Origins& origins, Rules& rules) {
  PoolOptions pool = pool_at_server(configuration);
  const int max = *pool.size.max;
  if (settings.pool.size.max) {
    rules.require(is_size(max, 1), "pool.max",
                  fmt::format("is {}: it must be from 1 to {}", max, kMostConnections));
    const int most = configuration.tenants.max_connections;
    rules.require(
        !is_size(max, 1) || max <= most || !origins.is_given(setting_of("tenants.max_connections")),
        "pool.max",
        fmt::format("is {}: it must not be more than tenants.max_connections, {}", max, most));
  }
  // What is wrong with the size has been told, or is told of tenants.max_connections.
  if (!is_size(max, 1)) {
    pool.size.max = kMostConnections;
    if (!settings.pool.size.keep_open) pool.size.keep_open = 0;
  }
  // Nothing is compared with a life that is wrong.
  if (!check_max_lifetime(settings, configuration, rules) ||
      origins.is_refused(setting_of(key_of_lifetime(settings)))) {
    pool.lifetime = yaml::kLongestTime;
    pool.lifetime_jitter = Duration::zero();
  }
  rules.require_order("pool.backoff_first", "pool.backoff_longest", pool.backoff);
  rules.add("pool", problems(pool));
}

void check_retry(RetryPolicy retry, Rules& rules) {
  const bool are_few = retry.max_retries >= 0 && retry.max_retries <= kMostRetries;
  rules.require(are_few, "retry.max_retries",
                fmt::format("is {}: it must be from 0 to {}", retry.max_retries, kMostRetries));
  if (!are_few) retry.max_retries = 0;
  BackoffRule& backoff = retry.backoff;
  const bool is_positive = backoff.first > Duration::zero();
  rules.require(is_positive, "retry.first_delay",
                fmt::format("is {}: it must be more than zero", duration_text(backoff.first)));
  if (!is_positive) backoff.first = backoff.longest = Duration::zero();
  rules.require(backoff.longest <= kLongestPause, "retry.longest_delay",
                fmt::format("is {}: it must be at most 24h", duration_text(backoff.longest)));
  rules.require_order("retry.first_delay", "retry.longest_delay", backoff);
  rules.add("retry", problems(retry));
}

void check_sharing(const Settings& settings, const Configuration& configuration, Rules& rules) {
  const ClusterOptions& cluster = settings.cluster;
  rules.require(!settings.is_lease_shared || !cluster.lease_table.empty(), "leases.table",
                "is not set: leases.enabled needs the name of a DynamoDB table "
                "(\"forebay leases setup\" makes one)");
  rules.require(
      !settings.is_rate_shared || !cluster.rate_table.empty(), "rate.table",
      "is not set: rate.enabled needs the name of a DynamoDB table; it may be that of the "
      "leases");
  const bool is_stagger_right =
      cluster.stagger >= Duration::zero() && cluster.stagger <= kLongestStagger;
  rules.require(is_stagger_right, "startup.max_delay",
                fmt::format("is {}: it must be from 0s to {}", duration_text(cluster.stagger),
                            duration_text(kLongestStagger)));
  const bool is_url_plain = !cluster.dynamodb_url.contains('@');
  rules.require(is_url_plain, "cluster.dynamodb_url",
                "(not shown) holds a user or a password: give it without; credentials are found as "
                "the AWS tools find them");
  if (!configuration.cluster) return;
  // Without a table of its own the rate's or the limit's rules are not asked for.
  ClusterOptions checked = *configuration.cluster;
  rules.require(!checked.endpoint.empty(), "database.host",
                "is not set: limits are shared and tokens made for a host; give its name");
  if (checked.endpoint.empty()) checked.endpoint = "host";
  if (!is_stagger_right) checked.stagger = Duration::zero();
  if (!is_url_plain) checked.dynamodb_url.clear();
  if (checked.lease_table.empty() && checked.rate_table.empty() && checked.user.empty()) return;
  rules.add("cluster", problems(checked));
}

void check_proxy(const ProxySettings& proxy, Rules& rules) {
  const proxy::ClientLimits& limits = proxy.limits;
  for (const auto& [key, limit] : {std::pair{"proxy.query_wait", limits.query_wait},
                                   {"proxy.query_limit", limits.query},
                                   {"proxy.idle_limit", limits.idle_in_transaction},
                                   {"proxy.read_limit", limits.client_write},
                                   {"proxy.log_in_limit", limits.log_in}}) {
    const bool is_right =
        limit == Duration::max() || (limit > Duration::zero() && limit <= yaml::kLongestTime);
    rules.require(is_right, key,
                  fmt::format("is {}: it must be more than zero and at most 365 days, or off",
                              duration_text(limit)));
  }
}

}  // namespace

std::string_view key_of_lifetime(const Settings& settings) {
  return settings.is_reservoir ? "reservoir.base_lifetime" : "pool.max_lifetime";
}

PoolOptions pool_at_server(const Configuration& configuration) {
  return postgres::with_defaults_of(profile_of(configuration.database), configuration.pool);
}

std::vector<std::string> problems(const Settings& settings, const Configuration& configuration,
                                  const Origins& origins) {
  std::vector<std::string> sentences;
  Rules rules(origins, sentences);
  check_database(settings, rules);
  check_pool(settings, configuration, origins, rules);
  check_sharing(settings, configuration, rules);
  TenantOptions tenants = settings.tenants;
  tenants.max_connections = configuration.tenants.max_connections;
  rules.add("tenants", problems(tenants));
  check_retry(settings.retry, rules);
  check_proxy(settings.proxy, rules);
  return sentences;
}

}  // namespace forebay::config
