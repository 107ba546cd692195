// What is put right, and what is probably a mistake.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "forebay/config/pool_settings.hpp"
#include "forebay/config/rules.hpp"
#include "forebay/core/expiry.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/pool/pool_defaults.hpp"

namespace forebay::config {
namespace {

// Of the longest life. The defaults of both are made for lives of ten minutes.
constexpr int kShareOfJitter = 5;
constexpr int kShareOfGuard = 10;

constexpr Duration kLongestWait = std::chrono::hours(24);

// A setting that has an effect only if another one has a certain value.
struct Need {
  std::string_view key;
  std::string_view needed;
  std::string_view value;
};

constexpr auto kNeeds = std::to_array<Need>({
    {"leases.table", "leases.enabled", "true"},
    {"leases.limit", "leases.enabled", "true"},
    {"leases.min_share", "leases.enabled", "true"},
    {"leases.ttl", "leases.enabled", "true"},
    {"leases.session_linger", "leases.enabled", "true"},
    {"leases.on_loss", "leases.enabled", "true"},
    {"leases.fence_before", "leases.enabled", "true"},
    {"rate.table", "rate.enabled", "true"},
    {"rate.limit", "rate.enabled", "true"},
    {"rate.max_wait", "rate.enabled", "true"},
    {"rate.burst", "rate.enabled", "true"},
    {"rate.mode", "rate.enabled", "true"},
    {"pool.connect_rate", "rate.enabled", "false"},
    {"pool.connect_burst", "rate.enabled", "false"},
    {"reservoir.target_ready", "reservoir.enabled", "true"},
    {"reservoir.low_watermark", "reservoir.enabled", "true"},
    {"reservoir.base_lifetime", "reservoir.enabled", "true"},
    {"pool.max_lifetime", "reservoir.enabled", "false"},
    {"pool.min_idle", "reservoir.enabled", "false"},
    {"pool.keep_open", "reservoir.enabled", "false"},
    {"startup.max_delay", "startup.staggered", "true"},
});

// Jitter and guard window are made for a reservoir's long lives. Without one, and unless they were
// given, a short life has less of them.
void fit_to_max_lifetime(Settings& settings, Origins& origins) {
  if (settings.is_reservoir || !settings.max_lifetime) return;
  const Duration life = *settings.max_lifetime;
  if (life <= Duration::zero()) return;
  const auto shorten = [&](std::string_view key, Duration& value, Duration most) {
    const Setting& setting = setting_of(key);
    if (origins.is_given(setting) || value <= most) return;
    value = most;
    origins.adjust(setting);
  };
  shorten("reservoir.lifetime_jitter", settings.pool.lifetime_jitter, life / kShareOfJitter);
  shorten("reservoir.guard_window", settings.pool.guard_window, life / kShareOfGuard);
}

// The pool gives up on a permit after its own time, which is meant to be long enough.
void fit_to_max_wait(Settings& settings, Origins& origins) {
  const Setting& setting = setting_of("pool.admission_timeout");
  const Duration wait = settings.cluster.max_wait;
  if (!settings.is_rate_shared || origins.is_given(setting)) return;
  if (wait <= settings.pool.admission_timeout || wait > kLongestWait) return;
  settings.pool.admission_timeout = wait;
  origins.adjust(setting);
}

std::string cut_by_server(const Settings& settings, const Configuration& configuration,
                          const Origins& origins) {
  const PoolOptions pool = pool_at_server(configuration);
  if (pool.server_limit == Duration::max()) return "";
  const Duration longest = pool.server_limit - pool.longest_transaction;
  if (longest_life(*pool.lifetime, pool.lifetime_jitter) <= longest) return "";
  const Setting& lifetime = setting_of(key_of_lifetime(settings));
  return fmt::format(
      "{} is {}: the server ends sessions after {}, so lives end at {} at the latest",
      origins.place(lifetime),
      lifetime.value.word(completed(settings, profile_of(configuration.database))),
      duration_text(pool.server_limit), duration_text(longest));
}

std::string cut_by_pool(const Settings& settings, const Origins& origins) {
  const Duration wait = settings.cluster.max_wait;
  const Duration most = settings.pool.admission_timeout;
  if (!settings.is_rate_shared || wait <= most) return "";
  return fmt::format("{} is {}: the pool waits for {} at most, as pool.admission_timeout says",
                     origins.place(setting_of("rate.max_wait")), duration_text(wait),
                     duration_text(most));
}

std::string replaced_by_tokens(const Configuration& configuration, const Origins& origins) {
  const DatabaseTarget& database = configuration.database;
  if (database.authentication != Authentication::iam) return "";
  const Result<postgres::ConnectionString> connection = database.connection();
  if (!connection || connection->get("password").empty()) return "";
  const bool is_in_url = database.password.empty();
  return fmt::format(
      "{} has {}no effect: database.authentication is iam, and tokens take its place",
      origins.place(setting_of(is_in_url ? "database.url" : "database.password")),
      is_in_url ? "a password with " : "");
}

}  // namespace

std::vector<std::string> adjust(Settings& settings, Origins& origins) {
  std::vector<std::string> warnings;
  const auto replace = [&](std::string_view key, auto& value, auto by, const std::string& why) {
    const Setting& setting = setting_of(key);
    const std::string before = setting.value.word(settings);
    value = by;
    warnings.push_back(fmt::format("{} is {}: {}; {} is used", origins.place(setting), before, why,
                                   setting.value.word(settings)));
    origins.adjust(setting);
  };
  PoolOptions& pool = settings.pool;
  std::optional<int>& target = pool.size.target_ready;
  const std::optional<int>& watermark = pool.size.low_watermark;
  if (target && watermark && *target < *watermark) {
    replace("reservoir.target_ready", target, *watermark,
            fmt::format("it must not be below reservoir.low_watermark, {}", *watermark));
  }
  if (pool.lifetime && *pool.lifetime <= Duration::zero()) {
    replace("reservoir.base_lifetime", pool.lifetime, PoolDefaults().base_lifetime,
            "a life is longer than zero");
  }
  if (pool.lifetime_jitter < Duration::zero()) {
    replace("reservoir.lifetime_jitter", pool.lifetime_jitter, Duration::zero(),
            "a jitter is zero or more");
  }
  if (pool.guard_window < Duration::zero()) {
    replace("reservoir.guard_window", pool.guard_window, Duration::zero(),
            "a guard window is zero or more");
  }
  fit_to_max_lifetime(settings, origins);
  fit_to_max_wait(settings, origins);
  return warnings;
}

std::vector<std::string> doubts(const Settings& settings, const Configuration& configuration,
                                const Origins& origins) {
  std::vector<std::string> doubts{cut_by_server(settings, configuration, origins),
                                  cut_by_pool(settings, origins),
                                  replaced_by_tokens(configuration, origins)};
  std::erase(doubts, "");
  for (const Need& need : kNeeds) {
    const Setting& needed = setting_of(need.needed);
    const std::string word = needed.value.word(settings);
    if (!origins.is_given(setting_of(need.key)) || word == need.value) continue;
    doubts.push_back(fmt::format("{} has no effect: {} ({}) is {}",
                                 origins.place(setting_of(need.key)), needed.key, needed.variable,
                                 word));
  }
  return doubts;
}

}  // namespace forebay::config
