#include "forebay/coordination/cluster_options.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "forebay/aws/region.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/option_rules.hpp"

namespace forebay {
namespace {

// Three renewals and their repetitions have to fit into a ttl, and a day is long enough to wait for
// a dead process.
constexpr Duration kShortestTtl = std::chrono::seconds(3);
constexpr Duration kLongestTtl = std::chrono::hours(24);
constexpr Duration kLongestToken = std::chrono::hours(24 * 7);  // DSQL refuses longer ones
constexpr Duration kLongestDsqlTransaction = std::chrono::minutes(5);
constexpr Duration kMissedClient = std::chrono::seconds(30);

void check_table(std::string_view option, const std::string& table, OptionRules& rules) {
  const bool is_known = std::ranges::all_of(table, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
  rules.require(is_known && table.size() >= 3 && table.size() <= 255, option,
                fmt::format("\"{}\"", table),
                "DynamoDB's tables have names of 3 to 255 letters, digits, \"_\", \"-\" and \".\"");
}

void check_leases(const ClusterOptions& options, OptionRules& rules) {
  check_table("lease_table", options.lease_table, rules);
  rules.require(options.limit >= 1 && options.limit <= 10'000'000, "limit",
                fmt::format("{}", options.limit),
                "it must be from 1 to 10,000,000 (connections of the whole cluster)");
  rules.require(options.min_share >= 0 && options.min_share <= options.limit, "min_share",
                fmt::format("{}", options.min_share),
                fmt::format("it must be from 0 to the limit, {}", options.limit));
  const bool is_ttl_right = rules.time("ttl", options.ttl, kShortestTtl, kLongestTtl);
  rules.time("session_linger", session_linger(options), Duration::zero(), kLongestTtl);
  if (is_ttl_right && options.on_loss == LeaseLoss::fence && options.fence_before) {
    const Duration before = *options.fence_before;
    rules.require(before > Duration::zero() && before <= options.ttl / 2, "fence_before",
                  duration_text(before),
                  fmt::format("it must be more than zero and at most half of the ttl, {}, or no "
                              "renewal would ever be in time",
                              duration_text(options.ttl)));
  }
}

void check_ids(const ClusterOptions& options, OptionRules& rules) {
  check_table("id_table", options.id_table, rules);
  if (options.lease_table.empty()) rules.time("ttl", options.ttl, kShortestTtl, kLongestTtl);
}

void check_burst(const ClusterOptions& options, bool is_rate_right, OptionRules& rules) {
  const std::string value = fmt::format("{}", options.burst);
  const bool is_number = rules.require(options.burst >= 1 && options.burst <= 10'000'000, "burst",
                                       value, "it must be from 1 to 10,000,000");
  if (!is_number || !is_rate_right) return;
  rules.require(options.burst <= options.connects_per_second * 1e9, "burst", value,
                fmt::format("at {} connects a second it would take more than 30 years to save up",
                            options.connects_per_second));
}

void check_rate(const ClusterOptions& options, OptionRules& rules) {
  check_table("rate_table", options.rate_table, rules);
  const bool is_window = options.rate_mode != RateMode::bucket;
  const double least = is_window ? 1 : 0.001;
  const double rate = options.connects_per_second;
  const bool is_rate_right = rules.require(
      rate >= least && rate <= 1'000'000, "connects_per_second", fmt::format("{}", rate),
      fmt::format("it must be from {} to 1,000,000{}", least,
                  is_window ? " (a window counts whole connects of each second)" : ""));
  check_burst(options, is_rate_right, rules);
  const bool is_wait_right = rules.time("max_wait", options.max_wait, std::chrono::milliseconds(1),
                                        std::chrono::hours(24));
  const Duration most = is_wait_right ? options.max_wait : kLongestTtl;
  rules.require(
      options.stagger >= Duration::zero() && options.stagger < most, "stagger",
      duration_text(options.stagger),
      fmt::format("it must be zero or more and less than the longest wait for a permit, {}, or the "
                  "first connects would fail",
                  duration_text(most)));
}

void check_access(const ClusterOptions& options, OptionRules& rules) {
  const std::string& url = options.dynamodb_url;
  if (rules.require(!url.contains('@'), "dynamodb_url", "",
                    "it holds a user or a password: give it without")) {
    rules.require(url.empty() || url.starts_with("http://") || url.starts_with("https://"),
                  "dynamodb_url", fmt::format("\"{}\"", url),
                  "it must begin with http:// or https://");
  }
  rules.require(!options.credentials || !options.credentials->access_key_id.empty(),
                "credentials.access_key_id", "empty", "give one, or no credentials at all");
}

}  // namespace

OptionProblems problems(const ClusterOptions& options) {
  OptionRules rules;
  rules.require(!options.endpoint.empty(), "endpoint", "empty",
                "give the host name of the database whose limits are shared");
  rules.require(!options.service.empty(), "service", "empty",
                "give the name under which people know this process");
  const bool has_leases = !options.lease_table.empty();
  const bool has_rate = !options.rate_table.empty();
  const bool has_ids = !options.id_table.empty();
  rules.require(has_leases || has_rate || has_ids || !options.user.empty(), "lease_table", "empty",
                "without a table for leases, for the rate or for ids, and without a user, nothing "
                "would be shared and no token made");
  if (has_leases) check_leases(options, rules);
  if (has_rate) check_rate(options, rules);
  if (has_ids) check_ids(options, rules);
  rules.time("request_timeout", options.request_timeout, std::chrono::milliseconds(10),
             std::chrono::minutes(10));
  if (!options.user.empty())
    rules.time("token_lifetime", options.token_lifetime, std::chrono::seconds(1), kLongestToken);
  check_access(options, rules);
  return rules.take();
}

Duration session_linger(const ClusterOptions& options) {
  if (options.session_linger) return *options.session_linger;
  const bool is_dsql = aws::region_of_host(options.endpoint).has_value();
  return is_dsql ? kLongestDsqlTransaction : kMissedClient;
}

Duration fence_before(const ClusterOptions& options) {
  return options.fence_before.value_or(options.ttl / 6);
}

RateLimits rate_limits(const ClusterOptions& options) {
  RateLimits limits;
  limits.connects_per_second = options.connects_per_second;
  limits.burst = options.burst;
  limits.mode = options.rate_mode;
  return limits;
}

}  // namespace forebay
