#include "forebay/pool/options.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/suggestion.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/option_rules.hpp"
#include "forebay/pool/pool_defaults.hpp"
#include "forebay/pool/rules_of.hpp"

namespace forebay {
namespace {

constexpr int kMostConnections = 1'000'000;

// What is compared with a wrong size is compared with the largest one instead.
void check_sizes(const PoolOptions& options, OptionRules& rules) {
  const PoolSize& size = options.size;
  const bool is_max_right = rules.whole("size.max", *size.max, 1, kMostConnections,
                                        "connections the pool may have in all");
  const int max = is_max_right ? *size.max : kMostConnections;
  const char* const share = "it is a share of all connections";
  const bool is_idle_right = rules.whole("size.min_idle", size.min_idle, 0, max, share);
  int target = is_idle_right ? size.min_idle : 0;
  if (options.supply == Supply::reservoir) {
    target = size.target_ready.value_or(max);
    if (!rules.whole("size.target_ready", target, 1, max, share)) target = max;
    rules.whole("size.low_watermark", size.low_watermark.value_or(target), 0, target,
                "it is reached before all that are to be kept ready");
  }
  rules.whole("size.keep_open", *size.keep_open, 0, max, share);
  rules.whole("size.max_ready", size.max_ready.value_or(max), std::clamp(target, 1, max), max,
              "it holds at least those that are to be kept ready");
  rules.whole("max_opening", options.max_opening, 1, 10'000, "connects in flight at once");
  rules.whole("warm_up_retries", options.warm_up_retries, 0, 1'000, "attempts after the first");
}

// The shortest that a connection may live, and why.
std::string shortest_life(const PoolOptions& options, Duration cap) {
  const Duration half_jitter = options.lifetime_jitter / 2;
  const Duration lifetime = *options.lifetime;
  if (cap < lifetime - half_jitter) {
    return fmt::format(
        "{} (the server ends sessions after {}, less {} for the longest transaction)",
        duration_text(cap), duration_text(options.server_limit),
        duration_text(options.longest_transaction));
  }
  if (half_jitter == Duration::zero()) return duration_text(lifetime);
  return fmt::format("{} (a lifetime of {}, less half of a jitter of {})",
                     duration_text(lifetime - half_jitter), duration_text(lifetime),
                     duration_text(options.lifetime_jitter));
}

void check_lifetime(const PoolOptions& options, OptionRules& rules) {
  bool are_right = rules.time_or_never("lifetime", *options.lifetime);
  are_right &= rules.time_or_zero("lifetime_jitter", options.lifetime_jitter);
  are_right &= rules.time_or_zero("guard_window", options.guard_window);
  are_right &= rules.time_or_zero("longest_transaction", options.longest_transaction);
  are_right &= rules.time_or_never("server_limit", options.server_limit);
  if (!are_right) return;
  ExpiryRule rule;
  rule.server_limit = options.server_limit;
  rule.longest_transaction = options.longest_transaction;
  const Duration cap = lifetime_cap(rule);
  const Duration shortest = std::min(*options.lifetime - options.lifetime_jitter / 2, cap);
  rules.require(
      options.guard_window < shortest, "guard_window", duration_text(options.guard_window),
      fmt::format("it must be shorter than the shortest life, {}", shortest_life(options, cap)));
}

void check_backoff(std::string_view member, const BackoffRule& backoff, OptionRules& rules) {
  const auto option = [member](std::string_view name) {
    return fmt::format("{}.{}", member, name);
  };
  if (rules.positive_time(option("first"), backoff.first) &&
      rules.positive_time(option("longest"), backoff.longest)) {
    rules.require(backoff.longest >= backoff.first, option("longest"),
                  duration_text(backoff.longest),
                  fmt::format("it must not be shorter than the first wait, {}",
                              duration_text(backoff.first)));
  }
  rules.whole(option("jitter_percent"), backoff.jitter_percent, 0, 100, "per cent");
}

bool is_setting_name(std::string_view name) {
  const auto is_letter = [](char c) {
    const char lowered = lower_case(c);
    return (lowered >= 'a' && lowered <= 'z') || c == '_';
  };
  const auto is_allowed = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '$';
  };
  return !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, is_allowed);
}

void check_session_settings(const SessionSettings& settings, OptionRules& rules) {
  static constexpr std::size_t kMostBytes = 8'000;  // PostgreSQL reads 10,000 at a session's start
  const auto require = [&rules](bool holds, std::string_view name, std::string text) {
    rules.require(holds, "session_settings", shown(name), std::move(text));
  };
  std::size_t bytes = 0;
  for (const auto& [name, value] : settings) {
    bytes += name.size() + value.size();
    require(is_setting_name(name), name,
            "a setting is called by letters, digits, '_', '.' and '$', and a letter comes first");
    require(!value.contains('\0'), name, "its value contains a zero byte");
    const bool is_role = is_same_name(name, "role") || is_same_name(name, "session_authorization");
    require(!is_role, name,
            "each reset undoes it: connect as that role, or set it in after_connect");
  }
  rules.require(bytes <= kMostBytes, "session_settings", fmt::format("{} bytes", bytes),
                fmt::format("all names and values together have {} bytes at most", kMostBytes));
}

}  // namespace

OptionProblems problems(const PoolOptions& given) {
  const PoolOptions options = completed(given);
  OptionRules rules;
  check_sizes(options, rules);
  check_lifetime(options, rules);
  rules.time_or_never("idle_timeout", *options.idle_timeout);
  rules.time_or_never("check_after_idle", options.check_after_idle);
  rules.time_or_never("leak_after", options.leak_after);
  const double rate = *options.connect_rate;
  rules.require(rate == 0 || (rate >= 0.001 && rate <= 1e6), "connect_rate",
                fmt::format("{:g} a second", rate),
                "it must be between 0.001 and 1000000, or 0 for no limit");
  rules.whole("connect_burst", *options.connect_burst, 1, 1'000'000,
              "connects at once when rested");
  rules.positive_time("admission_timeout", options.admission_timeout);
  rules.positive_time("connect_timeout", options.connect_timeout);
  rules.positive_time("reset_timeout", options.reset_timeout);
  rules.positive_time("check_timeout", options.check_timeout);
  rules.time_or_never("on_stuck_close", options.on_stuck_close.limit());
  rules.time_or_zero("cancel_timeout", options.cancel_timeout);
  rules.time_or_never("server_notices_after", options.server_notices_after);
  rules.time_or_never("call_timeout", options.call_timeout);
  rules.time_or_zero("open_wait", options.open_wait);
  rules.time_or_zero("initial_fill_limit", options.initial_fill_limit);
  rules.whole("session.statement_cache_size", options.session.statement_cache_size, 1, 100'000,
              "texts that a connection remembers");
  check_backoff("backoff", options.backoff, rules);
  check_backoff("warm_up_backoff", options.warm_up_backoff, rules);
  check_session_settings(options.session_settings, rules);
  return rules.take();
}

PoolRules rules_of(const PoolOptions& given) {
  const PoolOptions options = completed(given);
  const PoolSize& size = options.size;
  PoolRules rules;
  rules.max = *size.max;
  rules.max_ready = size.max_ready.value_or(rules.max);
  rules.supply.mode = options.supply;
  rules.supply.max_opening = options.max_opening;
  if (options.supply == Supply::reservoir) {
    rules.supply.target_ready = size.target_ready.value_or(rules.max);
    rules.low_watermark = size.low_watermark.value_or(rules.supply.target_ready);
  } else {
    rules.supply.min_idle = size.min_idle;
    rules.supply.keep_open = *size.keep_open;
    rules.low_watermark = std::max(*size.keep_open, size.min_idle);
  }
  rules.expiry.lifetime = *options.lifetime;
  rules.expiry.jitter = options.lifetime_jitter;
  rules.expiry.guard_window = options.guard_window;
  rules.expiry.server_limit = options.server_limit;
  rules.expiry.longest_transaction = options.longest_transaction;
  rules.backoff = options.backoff;
  rules.take_order = options.take_order;
  rules.idle_timeout = *options.idle_timeout;
  rules.check_after = options.check_after_idle;
  rules.leak_after = options.leak_after;
  return rules;
}

}  // namespace forebay
