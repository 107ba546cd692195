// A pool made from a file and the environment. For applications with threads.
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

#include "forebay/cluster.hpp"
#include "forebay/config/configuration.hpp"
#include "forebay/env/real/runtime.hpp"
#include "forebay/postgres/postgres_pool.hpp"

namespace forebay {

// Reads the file and the environment; without a path the file that FOREBAY_CONFIG names, or none.
// Errc::invalid says everything that is wrong, one line each. Warnings go to the log, which from
// then on is as the configuration says.
Result<Configuration> read_configuration_blocking(Runtime& runtime, std::string path = {});

// The pool, and the cluster if limits are shared or tokens needed: opened and closed in the right
// order. Made and destroyed on threads of the application, never on the runtime's own.
class ConfiguredPool {
 public:
  // Comes back as PostgresPool::open() does, after the delay of a staggered start; at once if
  // something is wrong. Errc::invalid says everything that is, one line each.
  static Result<std::unique_ptr<ConfiguredPool>> open(Runtime& runtime, const Configuration& given);

  ConfiguredPool(const ConfiguredPool&) = delete;
  ConfiguredPool& operator=(const ConfiguredPool&) = delete;
  ~ConfiguredPool();

  postgres::PostgresPool& pool() { return *pool_; }
  Cluster* cluster() { return cluster_.get(); }  // null: nothing is shared

 private:
  ConfiguredPool() = default;

  std::unique_ptr<Cluster> cluster_;  // outlives the pool
  std::unique_ptr<postgres::PostgresPool> pool_;
};

}  // namespace forebay
