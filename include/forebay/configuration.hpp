// A pool as a file and the environment say. For applications with threads.
//
//   forebay::Runtime runtime;
//   auto configuration = forebay::read_configuration_blocking(runtime, "service.yaml");
//   if (!configuration) return fail(configuration.error().text());
//   auto database = forebay::ConfiguredPool::open(runtime, *configuration);
//   if (!database) return fail(database.error().text());
//   auto session = (*database)->pool().acquire_blocking(1s);
//
// docs/configuration.md has all keys and variables.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/log.hpp"
#include "forebay/cluster.hpp"
#include "forebay/config/configuration.hpp"
#include "forebay/config/read_configuration.hpp"
#include "forebay/config/start_delay.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/postgres/postgres_pool.hpp"

namespace forebay {

namespace config {

// The sentences, one line each.
inline std::string lines(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "\n") + sentence;
  return text;
}

}  // namespace config

// Reads the file and the environment; without a path the file that FOREBAY_CONFIG names, or none.
// Errc::invalid says everything that is wrong, one line each. Warnings go to the log, which from
// then on is as the configuration says.
inline Result<Configuration> read_configuration_blocking(Runtime& runtime, std::string path = {}) {
  ConfigurationReading reading =
      run_blocking(runtime.scheduler(), read_configuration(runtime.machine(), std::move(path)));
  apply_to_log(reading.configuration);
  for (const std::string& warning : reading.configuration.warnings)
    log::warning("Configuration is doubtful", {log::field("reason", warning)});
  if (reading.problems.empty()) return std::move(reading.configuration);
  return failure(Errc::invalid, config::lines(reading.problems));
}

// The pool, and the cluster if limits are shared or tokens needed: opened and closed in the right
// order. Made and destroyed on threads of the application, never on the runtime's own.
class ConfiguredPool {
 public:
  // Comes back as PostgresPool::open() does, after the delay of a staggered start; at once if
  // something is wrong. Errc::invalid says everything that is, one line each.
  static Result<std::unique_ptr<ConfiguredPool>> open(Runtime& runtime,
                                                      const Configuration& given) {
    const Configuration configuration = given.completed();
    if (const std::vector<std::string> wrong = problems(configuration); !wrong.empty())
      return failure(Errc::invalid, config::lines(wrong));
    apply_to_log(configuration);
    const Result<postgres::ConnectionString> target = configuration.database.connection();
    if (!target) return failure(target.error());
    std::unique_ptr<ConfiguredPool> made(new ConfiguredPool());
    if (configuration.cluster) {
      Result<std::unique_ptr<Cluster>> cluster = Cluster::open(runtime, *configuration.cluster);
      if (!cluster) return failure(std::move(cluster.error()));
      made->cluster_ = std::move(*cluster);
    }
    run_blocking(runtime.scheduler(), delay_start(runtime.env(), configuration.start_delay));
    PoolSharing sharing = made->cluster_ ? made->cluster_->sharing() : PoolSharing();
    Result<std::unique_ptr<postgres::PostgresPool>> pool = postgres::PostgresPool::open(
        runtime, target->text_with_secrets(), configuration.pool, sharing);
    if (!pool) return failure(std::move(pool.error()));
    made->pool_ = std::move(*pool);
    return made;
  }

  ConfiguredPool(const ConfiguredPool&) = delete;
  ConfiguredPool& operator=(const ConfiguredPool&) = delete;
  ~ConfiguredPool() {
    pool_.reset();
    cluster_.reset();
    log::tell_all_repeats();
  }

  postgres::PostgresPool& pool() { return *pool_; }
  Cluster* cluster() { return cluster_.get(); }  // null: nothing is shared

 private:
  ConfiguredPool() = default;

  std::unique_ptr<Cluster> cluster_;  // outlives the pool
  std::unique_ptr<postgres::PostgresPool> pool_;
};

}  // namespace forebay
