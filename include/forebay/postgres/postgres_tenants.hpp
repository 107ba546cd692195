// PostgresTenants: sessions for thousands of databases on one server, under one budget.
//
//   auto tenants = PostgresTenants::open(runtime, "postgresql://app@db/system", options);
//   auto session = (*tenants)->acquire_blocking("acme", 1s);
//   auto rows = (*session)->exec_blocking("select now()", 5s);
//
// The database of the connection string is the system's. It has a pool of its own, which also makes
// missing databases of tenants if that is wanted.
//
// Thread-safe. Made, closed and destroyed on threads of the application, never on the runtime's
// own.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/postgres/postgres_pool.hpp"
#include "forebay/tenants/tenant_options.hpp"
#include "forebay/tenants/tenant_statistics.hpp"

namespace forebay {
class ConnectPacer;
class TenantPools;
}  // namespace forebay

namespace forebay::postgres {

struct LibpqSettings;

class PostgresTenants {
 public:
  // Everything that keeps them from being opened.
  static OptionProblems problems(const std::string& target, const TenantOptions& options);

  // Refuses bad options and a bad connection string, all of them in one error, before anything
  // starts. What is shared is shared with the system's pool, but for a budget, which tenants have
  // of their own.
  static Result<std::unique_ptr<PostgresTenants>> open(Runtime& runtime, const std::string& target,
                                                       TenantOptions options,
                                                       PoolSharing sharing = {});
  PostgresTenants(const PostgresTenants&) = delete;
  PostgresTenants& operator=(const PostgresTenants&) = delete;
  ~PostgresTenants();  // closes, and waits for what is still lent

  // Errors: limit_reached with a ConnectionLimit (by the deadline there was no room), timed_out
  // (the tenant's own sessions were all in use, or could not be opened: the text says why), refused
  // (the server said no for good, to a missing database say: returned at once, in its own words,
  // and again from memory until it is asked again), cancelled, invalid (the id, or the name that it
  // gets), closed.
  Result<PooledSession> acquire_blocking(
      std::string_view tenant, Duration timeout,
      std::source_location from = std::source_location::current());
  // For tasks of the runtime, on any of its loops.
  Task<Result<PooledSession>> acquire(std::string tenant, Until until,
                                      std::source_location from = std::source_location::current());

  PostgresPool& system() { return *system_; }

  // Closes a tenant's sessions, those in use when they come back: before its database is dropped,
  // say. True: all of them are gone. Later callers get new ones, and a server that refused is
  // asked again.
  bool close_tenant(const std::string& tenant, Duration limit);
  // True: everything is gone, the system's pool too. False: something was still lent when the limit
  // passed.
  bool close(Duration limit);

  // Everything at once: by tenant with sessions, all tenants together, the system's pool, and both.
  TenancyStatistics statistics() const;
  // Nothing: unknown, or forgotten.
  std::optional<TenantStatistics> statistics(std::string_view tenant) const;
  // Of all that are known: first those with sessions, least recently used first, then the others.
  std::vector<TenantStatistics> all_statistics() const;
  TenantTotals totals() const;
  // The same without what has to be asked of every pool: connections by state, and their counters.
  TenantTotals brief_totals() const;
  // As they hold, with what follows from the server's kind.
  const TenantOptions& options() const;
  const Observation& observation() const { return observation_; }

 private:
  class Databases;
  PostgresTenants(Runtime& runtime, ConnectionString target, const ServerProfile& profile,
                  const LibpqSettings& settings);

  Runtime runtime_;
  Observation observation_;
  Share owner_;  // of what is shared; outlives the pools
  std::unique_ptr<ConnectPacer> pacer_;
  std::unique_ptr<PostgresPool> system_;
  const std::unique_ptr<Databases> databases_;
  std::unique_ptr<TenantPools> pools_;
  std::atomic<bool> is_gone_ = false;
};

}  // namespace forebay::postgres
