#include "forebay/coordination/cluster_options.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "forebay/aws/region.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay {
namespace {

// Three renewals and their repetitions have to fit into a ttl, and a day is long enough to wait for
// a dead process.
constexpr Duration kShortestTtl = std::chrono::seconds(3);
constexpr Duration kLongestTtl = std::chrono::hours(24);
constexpr Duration kLongestToken = std::chrono::hours(24 * 7);  // DSQL refuses longer ones
constexpr Duration kLongestDsqlTransaction = std::chrono::minutes(5);
constexpr Duration kMissedClient = std::chrono::seconds(30);

class OptionProblems {
 public:
  void require(bool holds, std::string text) {
    if (!holds) texts_.push_back(std::move(text));
  }
  void require_time(std::string_view option, Duration value, Duration least, Duration most) {
    require(value >= least && value <= most,
            fmt::format("{} is {}: it must be from {} to {}", option, duration_text(value),
                        duration_text(least), duration_text(most)));
  }
  void require_table(std::string_view option, const std::string& table) {
    const bool is_known = std::ranges::all_of(table, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
    });
    require(is_known && table.size() >= 3 && table.size() <= 255,
            fmt::format("{} is \"{}\": DynamoDB's tables have names of 3 to 255 letters, digits, "
                        "\"_\", \"-\" and \".\"",
                        option, table));
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
};

void check_leases(const ClusterOptions& options, OptionProblems& problems) {
  problems.require_table("lease_table", options.lease_table);
  problems.require(options.limit >= 1 && options.limit <= 10'000'000,
                   fmt::format("limit is {}: it must be from 1 to 10,000,000 (connections of the "
                               "whole cluster)",
                               options.limit));
  problems.require_time("ttl", options.ttl, kShortestTtl, kLongestTtl);
  problems.require_time("session_linger", session_linger(options), Duration::zero(), kLongestTtl);
  if (options.on_loss == LeaseLoss::fence && options.fence_before) {
    problems.require(
        *options.fence_before > Duration::zero() && *options.fence_before <= options.ttl / 2,
        fmt::format("fence_before is {}: it must be more than zero and at most half "
                    "of the ttl ({}), or no renewal would ever be in time",
                    duration_text(*options.fence_before), duration_text(options.ttl)));
  }
}

void check_ids(const ClusterOptions& options, OptionProblems& problems) {
  problems.require_table("id_table", options.id_table);
  if (options.lease_table.empty()) {
    problems.require_time("ttl", options.ttl, kShortestTtl, kLongestTtl);
  }
}

void check_rate(const ClusterOptions& options, OptionProblems& problems) {
  problems.require_table("rate_table", options.rate_table);
  const bool is_window = options.rate_mode == RateMode::window;
  const double least = is_window ? 1 : 0.001;
  problems.require(
      options.connects_per_second >= least && options.connects_per_second <= 1'000'000,
      fmt::format("connects_per_second is {}: it must be from {} to 1,000,000{}",
                  options.connects_per_second, least,
                  is_window ? " (a window counts whole connects of each second)" : ""));
  problems.require(options.burst >= 1 && options.burst <= 10'000'000,
                   fmt::format("burst is {}: it must be from 1 to 10,000,000", options.burst));
  problems.require(options.burst <= options.connects_per_second * 1e9,
                   fmt::format("burst is {}: at {} connects a second it would take more than 30 "
                               "years to save up",
                               options.burst, options.connects_per_second));
  problems.require_time("max_wait", options.max_wait, std::chrono::milliseconds(1),
                        std::chrono::hours(24));
  problems.require(options.stagger >= Duration::zero() && options.stagger < options.max_wait,
                   fmt::format("stagger is {}: it must be zero or more and less than max_wait ({}),"
                               " or the first connects would fail",
                               duration_text(options.stagger), duration_text(options.max_wait)));
}

}  // namespace

std::vector<std::string> problems(const ClusterOptions& options) {
  OptionProblems problems;
  problems.require(!options.endpoint.empty(),
                   "endpoint is empty: give the host name of the database whose limits are shared");
  problems.require(!options.service.empty(),
                   "service is empty: give the name under which people know this process");
  const bool has_leases = !options.lease_table.empty();
  const bool has_rate = !options.rate_table.empty();
  const bool has_ids = !options.id_table.empty();
  problems.require(
      has_leases || has_rate || has_ids || !options.user.empty(),
      "lease_table, rate_table, id_table and user are all empty: nothing would be shared, and no "
      "token made");
  if (has_leases) check_leases(options, problems);
  if (has_rate) check_rate(options, problems);
  if (has_ids) check_ids(options, problems);
  problems.require_time("request_timeout", options.request_timeout, std::chrono::milliseconds(10),
                        std::chrono::minutes(10));
  if (!options.user.empty()) {
    problems.require_time("token_lifetime", options.token_lifetime, std::chrono::seconds(1),
                          kLongestToken);
  }
  const std::string& url = options.dynamodb_url;
  const bool is_plain = !url.contains('@');
  problems.require(is_plain,
                   "dynamodb_url (not shown) holds a user or a password: give it without");
  problems.require(
      !is_plain || url.empty() || url.starts_with("http://") || url.starts_with("https://"),
      fmt::format("dynamodb_url is \"{}\": it must begin with http:// or https://", url));
  problems.require(!options.credentials || !options.credentials->access_key_id.empty(),
                   "credentials have no access key id: give one, or leave credentials out");
  return problems.take();
}

Duration session_linger(const ClusterOptions& options) {
  if (options.session_linger) return *options.session_linger;
  const bool is_dsql = aws::region_of_host(options.endpoint).has_value();
  return is_dsql ? kLongestDsqlTransaction : kMissedClient;
}

Duration fence_before(const ClusterOptions& options) {
  return options.fence_before.value_or(options.ttl / 6);
}

}  // namespace forebay
