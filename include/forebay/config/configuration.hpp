// Configuration: all that a service says about its database, as one value: made in code, or read
// from a YAML file and the environment.
//
// Default-constructed, it is what an empty file and an empty environment give.
// docs/configuration.md has all keys and variables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/base/log.hpp"
#include "forebay/config/database_target.hpp"
#include "forebay/coordination/cluster_options.hpp"
#include "forebay/pool/options.hpp"
#include "forebay/retry/retry_policy.hpp"
#include "forebay/tenants/tenant_options.hpp"

namespace forebay {

namespace config {
struct Settings;
}

// A value as it holds in the end, and where it came from. No secrets.
struct EffectiveSetting {
  EffectiveSetting() = default;

  std::string key;
  std::string value;
  std::string source;  // "default", "app.yaml:12", or a variable
  bool is_default = false;
};

struct Configuration {
  Configuration();
  explicit Configuration(const config::Settings& settings);

  // With what follows from the rest of it: what makes tokens, if the database needs them, and the
  // pool's defaults for such a server.
  Configuration completed() const;

  DatabaseTarget database;
  PoolOptions pool;
  std::optional<ClusterOptions> cluster;  // none: nothing is shared, and no token is needed
  TenantOptions tenants;
  RetryPolicy retry;
  // A process that shares a cluster (leases, or Aurora DSQL) but not its rate waits for a random
  // part of it before its first connect; if it shares the rate, that sees to it. Without a cluster
  // nobody waits.
  Duration start_delay{};
  // None: as the application has set them, or else Level::info and Format::text.
  std::optional<log::Level> log_level;
  std::optional<log::Format> log_format;

  // If it was read: every setting, and what was put right or is probably a mistake.
  std::vector<EffectiveSetting> settings;
  std::vector<std::string> warnings;
};

// Makes the log as it says. Of the whole process: the last one counts.
void apply_to_log(const Configuration& configuration);

// Everything that keeps its pool from being opened. REQUIRES: completed.
OptionProblems problems(const Configuration& configuration);
// The same of its tenants.
OptionProblems tenant_problems(const Configuration& configuration);

}  // namespace forebay
