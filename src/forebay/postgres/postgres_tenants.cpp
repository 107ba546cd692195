#include "forebay/postgres/postgres_tenants.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/base/fork_mark.hpp"
#include "forebay/base/log.hpp"
#include "forebay/base/misuse.hpp"
#include "forebay/detail/pool/observed_span.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/pool/acquire_blocking.hpp"
#include "forebay/postgres/driver/libpq_connector.hpp"
#include "forebay/postgres/driver/server_limits.hpp"
#include "forebay/postgres/reminder.hpp"
#include "forebay/postgres/sql/quoted_identifier.hpp"
#include "forebay/tenants/tenant_pools.hpp"

namespace forebay::postgres {
namespace {

// Databases that every server has, and that are nobody's.
constexpr std::array<std::string_view, 3> kOfTheServer{"postgres", "template0", "template1"};

// Somebody else made it meanwhile: known by its name, or by the index of the catalog.
bool is_there_already(const Error& error) {
  return error.sqlstate() == "42P04" || error.sqlstate() == "23505";
}

// What is told of a database that could not be made. A role that may not, or a name that cannot
// be, does not change by waiting.
Error not_made(const std::string& database, const Error& said) {
  std::string text = fmt::format("database {} could not be made: {}", database, said.text());
  if (!said.sqlstate().starts_with("42")) return said.with_text(std::move(text));
  return Error(Errc::refused, said.error_class(), std::move(text), said.sqlstate());
}

void log_start(const TenantOptions& options) {
  const TenantShares shares = shares_of(options);
  const std::string names = options.database_of ? "by a function" : options.database;
  log::info(
      "Tenants opened",
      {log::field("max_connections", options.max_connections), log::field("system", shares.system),
       log::field("kept_free", shares.kept_free), log::field("tenants", shares.tenants),
       log::field("max_per_tenant", options.max_per_tenant), log::field("database", names)});
}

}  // namespace

class PostgresTenants::Databases final : public TenantConnectors {
 public:
  Databases(Runtime& runtime, ConnectionString target, ServerProfile profile,
            const LibpqSettings& settings)
      : runtime_(runtime),
        target_(std::move(target)),
        own_(target_.database_in_force()),
        profile_(std::move(profile)),
        settings_(settings) {}

  void set_system(PostgresPool& system) { system_ = &system; }

  // An id that comes from a request must not reach what is not a tenant's.
  Result<std::unique_ptr<Connector>> connector(const std::string& database) override {
    if (database == own_ || std::ranges::find(kOfTheServer, database) != kOfTheServer.end()) {
      return failure(Errc::invalid,
                     fmt::format("the database {} is the system's or the server's own, and no "
                                 "tenant's; system() is for the system's",
                                 database));
    }
    ConnectionString target = target_;
    const Result<void> is_set = target.set("dbname", database);
    if (!is_set) return failure(is_set.error());
    return std::make_unique<LibpqConnector>(libpq_env(runtime_), std::move(target), profile_,
                                            settings_);
  }

  Task<Result<bool>> make_database(std::string database, Instant deadline) override {
    Result<PooledSession> session = co_await system_->acquire(deadline);
    if (!session) co_return failure(session.error());
    const Parameters name = {database};
    const Result<QueryResult> found =
        co_await (*session)->exec("SELECT 1 FROM pg_database WHERE datname = $1", name, deadline);
    if (!found) co_return failure(found.error());
    if (found->rows() > 0) co_return false;
    const std::string statement = "CREATE DATABASE " + quoted_identifier(database);
    const Result<QueryResult> made = co_await (*session)->exec(statement, deadline);
    if (made) co_return true;
    if (is_there_already(made.error())) co_return false;
    co_return failure(not_made(database, made.error()));
  }

 private:
  Runtime& runtime_;
  const ConnectionString target_;
  const std::string own_;  // the system's database
  const ServerProfile profile_;
  const LibpqSettings settings_;
  PostgresPool* system_ = nullptr;
};

OptionProblems PostgresTenants::problems(const std::string& target, const TenantOptions& options) {
  OptionProblems wrong;
  const Result<ConnectionString> parsed = ConnectionString::parse(target);
  if (!parsed) wrong.emplace_back("target", "", parsed.error().text());
  const ServerProfile profile = ServerProfile::for_host(parsed ? parsed->host() : "");
  if (profile.kind == ServerKind::dsql)
    wrong.emplace_back("target", "a DSQL cluster",
                       "it has one database, and tenants need PostgreSQL");
  TenantOptions limited = options;
  limited.pool = with_defaults_of(profile, std::move(limited.pool));
  append(wrong, forebay::problems(limited));
  return wrong;
}

Result<std::unique_ptr<PostgresTenants>> PostgresTenants::open(Runtime& runtime,
                                                               const std::string& target,
                                                               TenantOptions options,
                                                               PoolSharing sharing) {
  if (runtime.is_in_child()) return failure(used_after_fork());
  const OptionProblems wrong = problems(target, options);
  if (!wrong.empty()) return failure(invalid_options(wrong));
  Result<ConnectionString> parsed = ConnectionString::parse(target);
  if (!parsed) return failure(parsed.error());
  const ServerProfile profile = ServerProfile::for_host(parsed->host());
  options.pool = with_defaults_of(profile, std::move(options.pool));

  LibpqSettings settings = libpq_settings(profile, options.pool);
  settings.observation.pool = "tenants";  // a pool of each would tell an observer their names twice
  std::unique_ptr<PostgresTenants> tenants(
      new PostgresTenants(runtime, std::move(*parsed), profile, settings));
  tenants->observation_ = settings.observation;
  sharing.budget = nullptr;
  const bool has_pace = sharing.pacer != nullptr || sharing.permits != nullptr;
  if (*options.pool.connect_rate > 0 && !has_pace) {
    tenants->pacer_ =
        std::make_unique<ConnectPacer>(*options.pool.connect_rate, *options.pool.connect_burst);
    sharing.pacer = tenants->pacer_.get();
  }
  Result<std::unique_ptr<PostgresPool>> system =
      PostgresPool::open(runtime, target, system_pool_options(options), sharing);
  if (!system) return failure(system.error());
  tenants->system_ = std::move(*system);
  tenants->databases_->set_system(*tenants->system_);
  tenants->owner_ = sharing.owner;
  tenants->pools_ = std::make_unique<TenantPools>(runtime.env(), *tenants->databases_,
                                                  std::move(options), sharing);
  tenants->pools_->start();
  log_start(tenants->options());
  return tenants;
}

PostgresTenants::PostgresTenants(Runtime& runtime, ConnectionString target,
                                 const ServerProfile& profile, const LibpqSettings& settings)
    : runtime_(runtime.share()),
      databases_(std::make_unique<Databases>(runtime_, std::move(target), profile, settings)) {}

PostgresTenants::~PostgresTenants() {
  if (runtime_.is_in_child()) {
    leave_to_parent(std::move(pools_));
    return;
  }
  Duration patience = kFirstReminder;
  while (pools_ && !is_gone_ && !close(patience)) {
    const bool is_patient = patience == kReminder;  // the first look is for the mistake below
    patience = kReminder;
    if (const std::optional<LeakReport> mine = pools_->lent_to_this_thread()) {
      stop_for_misuse(
          "the session acquired here is still held by the thread that destroys its tenants, which "
          "would wait for it for ever; let it go before them",
          mine->taken_from);
    }
    bool is_any_lent = false;
    for (const TenantStatistics& each : pools_->all_statistics()) {
      if (each.lent == 0) continue;
      is_any_lent = true;
      log::warning("Tenants destroyed while connections are lent",
                   {log::field("pool", each.tenant), log::field("lent", each.lent)});
    }
    if (!is_any_lent && is_patient) pools_->give_up();
  }
}

Result<PooledSession> PostgresTenants::acquire_blocking(std::string_view tenant, Duration timeout,
                                                        std::source_location from) {
  if (runtime_.is_in_child()) return failure(used_after_fork());
  forebay::detail::ObservedSpan span(observation_, runtime_.scheduler());
  if (span) span.begin(ObservedStep::acquire, TraceScope::current(), tenant);
  Result<PooledConnection> pooled = span.ended(pools_->acquire_blocking(tenant, timeout, from));
  if (!pooled) return failure(std::move(pooled.error()));
  return PooledSession(std::move(*pooled));
}

Task<Result<PooledSession>> PostgresTenants::acquire(std::string tenant, Until until,
                                                     std::source_location from) {
  forebay::detail::ObservedSpan span(observation_, runtime_.scheduler());
  if (span) span.begin(ObservedStep::acquire, until.trace_context(), tenant);
  Result<PooledConnection> pooled = co_await pools_->acquire(tenant, until, from);
  if (span) span.end(pooled ? nullptr : &pooled.error());
  if (!pooled) co_return failure(std::move(pooled.error()));
  co_return PooledSession(std::move(*pooled));
}

std::optional<TenantStatistics> PostgresTenants::statistics(std::string_view tenant) const {
  return pools_->statistics(tenant);
}

TenancyStatistics PostgresTenants::statistics() const {
  TenancyStatistics now = pools_->statistics();
  const PoolStatistics system = system_->statistics();
  now.system = usage_of(system, system.counters);
  now.all.open = now.system.open + now.tenants.open;
  now.all.in_use = now.system.in_use + now.tenants.in_use;
  now.all.max = now.max_connections;
  now.all.waits = now.system.waits + now.tenants.waits;
  now.all.wait_time = now.system.wait_time + now.tenants.wait_time;
  return now;
}

const TenantOptions& PostgresTenants::options() const { return pools_->options(); }

std::vector<TenantStatistics> PostgresTenants::all_statistics() const {
  return pools_->all_statistics();
}

TenantTotals PostgresTenants::totals() const { return pools_->totals(); }

TenantTotals PostgresTenants::brief_totals() const { return pools_->brief_totals(); }

bool PostgresTenants::close_tenant(const std::string& tenant, Duration limit) {
  const Instant deadline = deadline_after(runtime_.scheduler().now(), limit);
  return run_blocking(runtime_.scheduler(), pools_->close_tenant(tenant, deadline));
}

// The system's pool last: it may be making a tenant's database.
bool PostgresTenants::close(Duration limit) {
  const Instant deadline = deadline_after(runtime_.scheduler().now(), limit);
  const bool are_tenants_gone = run_blocking(runtime_.scheduler(), pools_->close(deadline));
  if (!are_tenants_gone) return false;
  is_gone_ = system_->close(deadline - runtime_.scheduler().now());
  return is_gone_;
}

}  // namespace forebay::postgres
