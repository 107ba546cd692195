#include "forebay/config/rules.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/suggestion.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/postgres/server_limits.hpp"
#include "forebay/yaml/field.hpp"

namespace forebay::config {
namespace {

constexpr int kMostConnections = 1'000'000;
constexpr int kMostRetries = 1'000;
constexpr Duration kLongestStagger = std::chrono::minutes(5);

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
  // Sentences of options begin with the name that the options have for it.
  void require_none(const std::vector<std::string>& sentences, std::string_view prefix) {
    for (const std::string& sentence : sentences) {
      const std::size_t end = std::min(sentence.find(' '), sentence.size());
      const std::string option = fmt::format("{}.{}", prefix, sentence.substr(0, end));
      const auto found = std::ranges::find_if(all_settings(), [&](const Setting& setting) {
        return option == (setting.option.empty() ? setting.key : setting.option);
      });
      if (found == all_settings().end()) {
        sentences_.push_back(sentence);
      } else {
        require(false, found->key, sentence.substr(std::min(end + 1, sentence.size())));
      }
    }
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

bool is_about_lifetime(const std::string& sentence) { return sentence.starts_with("lifetime "); }

// Right or wrong, whether or not there is a reservoir, which has another lifetime.
bool check_max_lifetime(const Settings& settings, Rules& rules) {
  const Duration most = settings.max_lifetime;
  const bool is_right = most > Duration::zero() && most <= yaml::kLongestTime;
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
  if (settings.pool_max) {
    const int max = pool.size.max;
    rules.require(is_size(max, 1), "pool.max",
                  fmt::format("is {}: it must be from 1 to {}", max, kMostConnections));
    const int most = settings.tenants.max_connections;
    rules.require(
        !is_size(max, 1) || max <= most || !origins.is_given(setting_of("tenants.max_connections")),
        "pool.max",
        fmt::format("is {}: it must not be more than tenants.max_connections, {}", max, most));
  }
  // What is wrong with the size has been told, or is told of tenants.max_connections.
  if (!is_size(pool.size.max, 1)) pool.size.max = kMostConnections;
  std::vector<std::string> wrong = problems(pool);
  const bool is_lifetime_right = check_max_lifetime(settings, rules) &&
                                 !origins.is_refused(setting_of(key_of_lifetime(settings))) &&
                                 std::ranges::none_of(wrong, is_about_lifetime);
  if (!settings.is_reservoir) std::erase_if(wrong, is_about_lifetime);  // it is made of the longest
  // What is compared with a wrong life tells nothing new.
  if (!is_lifetime_right)
    std::erase_if(wrong,
                  [](const std::string& text) { return text.contains("the shortest life"); });
  const bool is_longest_meant = !origins.is_given(setting_of("pool.backoff_first")) &&
                                origins.is_given(setting_of("pool.backoff_longest"));
  for (std::string& sentence : wrong) {
    if (is_longest_meant && sentence.starts_with("backoff goes"))
      sentence.replace(0, std::string_view("backoff").size(), "backoff_longest");
  }
  rules.require_none(wrong, "pool");
}

// Their pools are made of what check_pool() has looked at.
void check_tenants(const TenantOptions& tenants, Rules& rules) {
  std::vector<std::string> wrong = problems(tenants);
  std::erase_if(wrong, [](const std::string& text) { return text.starts_with("pool."); });
  rules.require_none(wrong, "tenants");
}

void check_retry(const RetryPolicy& retry, const Origins& origins, Rules& rules) {
  rules.require(retry.max_retries >= 0 && retry.max_retries <= kMostRetries, "retry.max_retries",
                fmt::format("is {}: it must be from 0 to {}", retry.max_retries, kMostRetries));
  const BackoffRule& backoff = retry.backoff;
  const bool is_positive = backoff.first > Duration::zero();
  rules.require(is_positive, "retry.first_delay",
                fmt::format("is {}: it must be more than zero", duration_text(backoff.first)));
  const bool is_in_order = !is_positive || backoff.longest >= backoff.first;
  if (origins.is_given(setting_of("retry.longest_delay"))) {
    rules.require(is_in_order, "retry.longest_delay",
                  fmt::format("is {}: it must not be shorter than retry.first_delay, {}",
                              duration_text(backoff.longest), duration_text(backoff.first)));
  } else {
    rules.require(is_in_order, "retry.first_delay",
                  fmt::format("is {}: it must not be longer than retry.longest_delay, {}",
                              duration_text(backoff.first), duration_text(backoff.longest)));
  }
  rules.require(backoff.longest <= std::chrono::hours(24), "retry.longest_delay",
                fmt::format("is {}: it must be at most 24h", duration_text(backoff.longest)));
  rules.require(backoff.jitter_percent >= 0 && backoff.jitter_percent <= 100,
                "retry.jitter_percent",
                fmt::format("is {}: it must be from 0 to 100", backoff.jitter_percent));
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
  rules.require_none(problems(checked), "cluster");
}

}  // namespace

std::string_view key_of_lifetime(const Settings& settings) {
  return settings.is_reservoir ? "reservoir.base_lifetime" : "pool.max_lifetime";
}

PoolOptions pool_at_server(const Configuration& configuration) {
  const Result<postgres::ConnectionString> connection = configuration.database.connection();
  const std::string_view host = connection ? connection->host() : "";
  return postgres::with_limits_of(postgres::ServerProfile::for_host(host), configuration.pool);
}

std::vector<std::string> problems(const Settings& settings, const Configuration& configuration,
                                  const Origins& origins) {
  std::vector<std::string> sentences;
  Rules rules(origins, sentences);
  check_database(settings, rules);
  check_pool(settings, configuration, origins, rules);
  check_sharing(settings, configuration, rules);
  check_tenants(settings.tenants, rules);
  check_retry(settings.retry, origins, rules);
  return sentences;
}

}  // namespace forebay::config
