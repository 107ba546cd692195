#include "forebay/pool/options.hpp"

#include <utility>

#include <fmt/format.h>

namespace forebay {
namespace {

// Beyond it a lifetime means nothing, and arithmetic on instants could overflow.
constexpr Duration kLongest = std::chrono::hours(24 * 365);

class Problems {
 public:
  void require(bool holds, std::string text) {
    if (!holds) texts_.push_back(std::move(text));
  }
  void require_size(const char* option, int value, int least, int most, const char* why) {
    require(value >= least && value <= most,
            fmt::format("{} is {}: it must be between {} and {} ({})", option, value, least, most,
                        why));
  }
  void require_time(const char* option, Duration value, bool may_be_zero) {
    const bool holds =
        value <= kLongest && (may_be_zero ? value >= Duration::zero() : value > Duration::zero());
    require(holds, fmt::format("{} is {}: it must be {} and at most 365 days", option,
                               describe(value), may_be_zero ? "zero or more" : "more than zero"));
  }
  // A time that may also be switched off.
  void require_time_or_never(const char* option, Duration value) {
    if (value != Duration::max()) require_time(option, value, false);
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
};

void check_sizes(const PoolOptions& options, Problems& problems) {
  const PoolSize& size = options.size;
  problems.require_size("max", size.max, 1, 1'000'000, "connections the pool may have in all");
  const int max = size.max;
  int target = size.min_idle;
  if (options.supply == Supply::reservoir) {
    target = size.target_ready.value_or(max);
    problems.require_size("target_ready", target, 1, max, "it is a share of max");
    problems.require_size("low_watermark", size.low_watermark.value_or(target), 0, target,
                          "it is reached before target_ready");
  }
  problems.require_size("max_ready", size.max_ready.value_or(max),
                        std::clamp(target, 1, std::max(1, max)), max,
                        "it holds at least those that are to be kept ready");
  problems.require_size("min_idle", size.min_idle, 0, max, "it is a share of max");
  problems.require_size("keep_open", size.keep_open, 0, max, "it is a share of max");
  problems.require_size("max_opening", options.max_opening, 1, 10'000,
                        "connects in flight at once");
  problems.require_size("warm_up_retries", options.warm_up_retries, 0, 1'000,
                        "attempts after the first");
}

void check_lifetime(const PoolOptions& options, Problems& problems) {
  problems.require_time("lifetime", options.lifetime, false);
  problems.require_time("lifetime_jitter", options.lifetime_jitter, true);
  problems.require_time("guard_window", options.guard_window, true);
  problems.require_time("longest_transaction", options.longest_transaction, true);
  problems.require_time_or_never("server_limit", options.server_limit);

  ExpiryRule rule;
  rule.server_limit = options.server_limit;
  rule.longest_transaction = options.longest_transaction;
  const Duration shortest =
      std::min(options.lifetime - options.lifetime_jitter / 2, lifetime_cap(rule));
  problems.require(
      options.guard_window < shortest,
      fmt::format("guard_window is {}: it must be shorter than the shortest life, which is {} "
                  "(lifetime {}, lifetime_jitter {}, server_limit {}, longest_transaction {})",
                  describe(options.guard_window), describe(shortest), describe(options.lifetime),
                  describe(options.lifetime_jitter), describe(options.server_limit),
                  describe(options.longest_transaction)));
}

void check_backoff(const char* option, const BackoffRule& rule, Problems& problems) {
  problems.require(
      rule.first > Duration::zero() && rule.first <= rule.longest && rule.longest <= kLongest,
      fmt::format(
          "{} goes from {} to {}: the first wait must be more than zero and not longer than "
          "the longest",
          option, describe(rule.first), describe(rule.longest)));
  problems.require(rule.jitter_percent >= 0 && rule.jitter_percent <= 100,
                   fmt::format("{} has a jitter of {} %: it must be between 0 and 100", option,
                               rule.jitter_percent));
}

}  // namespace

std::vector<std::string> problems(const PoolOptions& options) {
  Problems problems;
  check_sizes(options, problems);
  check_lifetime(options, problems);
  problems.require_time_or_never("idle_timeout", options.idle_timeout);
  problems.require_time_or_never("check_after_idle", options.check_after_idle);
  problems.require_time_or_never("leak_after", options.leak_after);
  const double rate = options.connect_rate;
  problems.require(
      rate == 0 || (rate >= 0.001 && rate <= 1e6),
      fmt::format(
          "connect_rate is {:g} a second: it must be between 0.001 and 1000000, or 0 for no limit",
          options.connect_rate));
  problems.require_size("connect_burst", options.connect_burst, 1, 1'000'000,
                        "connects at once when rested");
  problems.require_time("admission_timeout", options.admission_timeout, false);
  problems.require_time("connect_timeout", options.connect_timeout, false);
  problems.require_time("reset_timeout", options.reset_timeout, false);
  problems.require_time("check_timeout", options.check_timeout, false);
  problems.require_time_or_never("on_stuck_close", options.on_stuck_close.limit());
  problems.require_time("cancel_timeout", options.cancel_timeout, true);
  problems.require_time_or_never("server_notices_after", options.server_notices_after);
  problems.require_time("open_wait", options.open_wait, true);
  problems.require_time("initial_fill_limit", options.initial_fill_limit, true);
  check_backoff("backoff", options.backoff, problems);
  check_backoff("warm_up_backoff", options.warm_up_backoff, problems);
  return problems.take();
}

PoolRules rules_of(const PoolOptions& options) {
  const PoolSize& size = options.size;
  PoolRules rules;
  rules.max = size.max;
  rules.max_ready = size.max_ready.value_or(size.max);
  rules.supply.mode = options.supply;
  rules.supply.max_opening = options.max_opening;
  if (options.supply == Supply::reservoir) {
    rules.supply.target_ready = size.target_ready.value_or(size.max);
    rules.low_watermark = size.low_watermark.value_or(rules.supply.target_ready);
  } else {
    rules.supply.min_idle = size.min_idle;
    rules.supply.keep_open = size.keep_open;
    rules.low_watermark = size.keep_open;
  }
  rules.expiry.lifetime = options.lifetime;
  rules.expiry.jitter = options.lifetime_jitter;
  rules.expiry.guard_window = options.guard_window;
  rules.expiry.server_limit = options.server_limit;
  rules.expiry.longest_transaction = options.longest_transaction;
  rules.backoff = options.backoff;
  rules.take_order = options.take_order;
  rules.idle_timeout = options.idle_timeout;
  rules.check_after = options.check_after_idle;
  rules.leak_after = options.leak_after;
  return rules;
}

}  // namespace forebay
