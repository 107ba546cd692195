// Tenants made from a file and the environment. For applications with threads.
//
//   auto configuration = forebay::read_configuration_blocking(runtime, "service.yaml");
//   if (!configuration) return fail(configuration.error().text());
//   auto databases = forebay::ConfiguredTenants::open(runtime, *configuration);
//   if (!databases) return fail(databases.error().text());
//   auto session = (*databases)->tenants().acquire_blocking("acme", 1s);
//
// database.* is the system's database and the server of them all, tenants.* what they share, and
// pool.* how each one's pool is. docs/configuration.md has all keys and variables. What a file
// cannot say, database_of for one, is set in Configuration::tenants before they are opened.
#pragma once

#include <memory>

#include "forebay/configuration.hpp"
#include "forebay/postgres/postgres_tenants.hpp"

namespace forebay {

// The tenants, and the cluster if limits are shared: opened and closed in the right order. Made and
// destroyed on threads of the application, never on the runtime's own.
class ConfiguredTenants {
 public:
  // Comes back as PostgresTenants::open() does, after the delay of a staggered start; at once if
  // something is wrong. Errc::invalid says everything that is, one line each.
  static Result<std::unique_ptr<ConfiguredTenants>> open(Runtime& runtime,
                                                         const Configuration& given);

  ConfiguredTenants(const ConfiguredTenants&) = delete;
  ConfiguredTenants& operator=(const ConfiguredTenants&) = delete;
  ~ConfiguredTenants();

  postgres::PostgresTenants& tenants() { return *tenants_; }
  Cluster* cluster() { return cluster_.get(); }  // null: nothing is shared

 private:
  ConfiguredTenants() = default;

  std::unique_ptr<Cluster> cluster_;  // outlives the tenants
  std::unique_ptr<postgres::PostgresTenants> tenants_;
};

}  // namespace forebay
