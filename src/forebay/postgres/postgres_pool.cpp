#include "forebay/postgres/postgres_pool.hpp"

#include <fmt/format.h>

#include "forebay/base/log.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/postgres/server_limits.hpp"

namespace forebay::postgres {
namespace {

// The Env's chance belongs to the scheduler's tasks.
Task<std::uint64_t> draw_seed(Env env) { co_return env.random.next(); }

}  // namespace

Result<std::unique_ptr<PostgresPool>> PostgresPool::open(Runtime& runtime,
                                                         const std::string& target,
                                                         PoolOptions options, PoolSharing sharing) {
  Result<ConnectionString> parsed = ConnectionString::parse(target);
  const ServerProfile profile = ServerProfile::for_host(parsed ? parsed->host() : "");
  options = with_limits_of(profile, std::move(options));
  std::vector<std::string> wrong = problems(options);
  if (!parsed) wrong.insert(wrong.begin(), parsed.error().text());
  if (!wrong.empty()) return failure(Errc::invalid, fmt::format("{}", fmt::join(wrong, "\n")));

  std::unique_ptr<PostgresPool> pool(
      new PostgresPool(runtime, std::move(*parsed), profile, std::move(options), sharing));
  pool->random_.emplace(run_blocking(runtime.scheduler(), draw_seed(runtime.env())));
  pool->is_filled_ = run_blocking(runtime.scheduler(), pool->pool_.start());
  return pool;
}

PostgresPool::PostgresPool(Runtime& runtime, ConnectionString target, const ServerProfile& profile,
                           PoolOptions options, PoolSharing sharing)
    : runtime_(runtime),
      connector_(libpq_env(runtime), std::move(target), profile, libpq_settings(profile, options)),
      pool_(runtime.env(), connector_, std::move(options), sharing) {}

PostgresPool::~PostgresPool() {
  while (!is_gone_ && !close(kReminder)) {
    const std::vector<LeakReport> lent = pool_.lent();
    const PoolGauges now = pool_.gauges();
    if (lent.empty()) {
      log::warning("Pool is still closing",
                   {log::field("pool", pool_.name()), log::field("opening", now.opening),
                    log::field("cleaning", now.cleaning), log::field("closing", now.closing)});
      pool_.give_up();
      continue;
    }
    log::warning("Pool destroyed while connections are lent",
                 {log::field("pool", pool_.name()), log::field("lent", lent.size()),
                  log::field("longest", describe(lent.front()))});
  }
  log::tell_all_repeats();
}

Result<PooledSession> PostgresPool::acquire_blocking(Duration timeout, std::source_location from) {
  Result<PooledConnection> pooled = pool_.acquire_blocking(timeout, from);
  if (!pooled) return failure(std::move(pooled.error()));
  return PooledSession(std::move(*pooled));
}

std::optional<PooledSession> PostgresPool::try_acquire(std::source_location from) {
  std::optional<PooledConnection> pooled = pool_.try_acquire(from);
  if (!pooled) return std::nullopt;
  return PooledSession(std::move(*pooled));
}

Task<Result<PooledSession>> PostgresPool::acquire(Instant deadline, std::source_location from) {
  Result<PooledConnection> pooled = co_await pool_.acquire(deadline, from);
  if (!pooled) co_return failure(std::move(pooled.error()));
  co_return PooledSession(std::move(*pooled));
}

bool PostgresPool::close(Duration limit) {
  const Instant deadline = deadline_after(runtime_.scheduler().now(), limit);
  is_gone_ = run_blocking(runtime_.scheduler(), pool_.close(deadline));
  return is_gone_;
}

}  // namespace forebay::postgres
