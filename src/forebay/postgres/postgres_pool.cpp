#include "forebay/postgres/postgres_pool.hpp"

#include <fmt/format.h>

#include "forebay/base/fork_mark.hpp"
#include "forebay/base/log.hpp"
#include "forebay/base/misuse.hpp"
#include "forebay/detail/pool/observed_span.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/shared_random.hpp"
#include "forebay/pool/acquire_blocking.hpp"
#include "forebay/postgres/driver/libpq_connector.hpp"
#include "forebay/postgres/driver/server_limits.hpp"
#include "forebay/postgres/reminder.hpp"

namespace forebay::postgres {

using forebay::detail::ObservedSpan;

namespace {

// The Env's chance belongs to the scheduler's tasks.
Task<std::uint64_t> draw_seed(Env env) { co_return env.random.next(); }

}  // namespace

Result<std::unique_ptr<PostgresPool>> PostgresPool::open(Runtime& runtime,
                                                         const std::string& target,
                                                         PoolOptions options, PoolSharing sharing) {
  if (runtime.is_in_child()) return failure(used_after_fork());
  if (runtime.is_current_thread()) {
    return failure(Errc::invalid,
                   "a pool was opened on the runtime's own thread, which must never wait");
  }
  Result<ConnectionString> parsed = ConnectionString::parse(target);
  const ServerProfile profile = ServerProfile::for_host(parsed ? parsed->host() : "");
  options = with_defaults_of(profile, std::move(options));
  OptionProblems wrong;
  if (!parsed) wrong.emplace_back("target", "", parsed.error().text());
  append(wrong, problems(options));
  if (!wrong.empty()) return failure(invalid_options(wrong));

  const InitialFailure on_failure = options.initial_failure;
  std::unique_ptr<PostgresPool> pool(
      new PostgresPool(runtime, std::move(*parsed), profile, std::move(options), sharing));
  pool->random_ =
      std::make_unique<SharedRandom>(run_blocking(runtime.scheduler(), draw_seed(runtime.env())));
  if (on_failure == InitialFailure::keep_trying) {
    pool->is_filled_ = run_blocking(runtime.scheduler(), pool->pool_.start());
    return pool;
  }
  const Result<bool> started = run_blocking(runtime.scheduler(), pool->pool_.start_or_fail());
  if (!started) {
    const std::string text = fmt::format("the pool \"{}\" cannot be opened: {}", pool->pool_.name(),
                                         started.error().text());
    return failure(started.error().with_text(text));
  }
  pool->is_filled_ = *started;
  return pool;
}

PostgresPool::PostgresPool(Runtime& runtime, ConnectionString target, const ServerProfile& profile,
                           PoolOptions options, PoolSharing sharing)
    : runtime_(runtime.share()),
      observation_{options.observer, options.name},
      owner_(sharing.owner),
      connector_(std::make_unique<LibpqConnector>(libpq_env(runtime_), std::move(target), profile,
                                                  libpq_settings(profile, options))),
      pool_(runtime_.env(), *connector_, std::move(options), sharing) {}

PostgresPool::~PostgresPool() {
  if (pool_.is_in_child()) {
    leave_to_parent(std::move(connector_));
    return;
  }
  Duration patience = kFirstReminder;
  while (!is_gone_ && !close(patience)) {
    const bool is_patient = patience == kReminder;  // the first look is for the mistake below
    patience = kReminder;
    if (const std::optional<LeakReport> mine = pool_.lent_to_this_thread()) {
      stop_for_misuse(
          fmt::format("the session acquired here is still held by the thread that destroys its "
                      "pool \"{}\", which would wait for it for ever; let it go before the pool",
                      pool_.name()),
          mine->taken_from);
    }
    const std::vector<LeakReport> lent = pool_.lent();
    const PoolGauges now = pool_.gauges();
    if (lent.empty()) {
      log::warning("Pool is still closing",
                   {log::field("pool", pool_.name()), log::field("service", pool_.service()),
                    log::field("opening", now.opening), log::field("cleaning", now.cleaning),
                    log::field("closing", now.closing)});
      if (is_patient) pool_.give_up();
      continue;
    }
    log::warning("Pool destroyed while connections are lent",
                 {log::field("pool", pool_.name()), log::field("service", pool_.service()),
                  log::field("lent", lent.size()), log::field("longest", describe(lent.front()))});
  }
  log::write_all_repeats();
}

Result<PooledSession> PostgresPool::acquire_blocking(Duration timeout, std::source_location from) {
  ObservedSpan span(observation_, runtime_.scheduler());
  if (span) span.begin(ObservedStep::acquire, TraceScope::current(), {});
  Result<PooledConnection> pooled = span.ended(pool_.acquire_blocking(timeout, from));
  if (!pooled) return failure(std::move(pooled.error()));
  return PooledSession(std::move(*pooled));
}

std::optional<PooledSession> PostgresPool::try_acquire(std::source_location from) {
  std::optional<PooledConnection> pooled = pool_.try_acquire(from);
  if (!pooled) return std::nullopt;
  return PooledSession(std::move(*pooled));
}

Task<Result<PooledSession>> PostgresPool::acquire(Until until, std::source_location from) {
  ObservedSpan span(observation_, runtime_.scheduler());
  if (span) span.begin(ObservedStep::acquire, until.trace_context(), {});
  Result<PooledConnection> pooled = co_await pool_.acquire(until, from);
  if (span) span.end(pooled ? nullptr : &pooled.error());
  if (!pooled) co_return failure(std::move(pooled.error()));
  co_return PooledSession(std::move(*pooled));
}

Result<PooledSession> PostgresPool::open_blocking(std::source_location from) {
  Result<PooledConnection> pooled = pool_.open_blocking(from);
  if (!pooled) return failure(std::move(pooled.error()));
  return PooledSession(std::move(*pooled));
}

Task<Result<PooledSession>> PostgresPool::open(std::source_location from) {
  Result<PooledConnection> pooled = co_await pool_.open(from);
  if (!pooled) co_return failure(std::move(pooled.error()));
  co_return PooledSession(std::move(*pooled));
}

ServerKind PostgresPool::server() const { return connector_->server(); }

Random& PostgresPool::thread_random() { return *random_; }

bool PostgresPool::close(Duration limit, std::source_location from) {
  const Instant deadline = deadline_after(runtime_.scheduler().now(), limit);
  is_gone_ = run_blocking(runtime_.scheduler(), pool_.close(deadline), from);
  return is_gone_;
}

}  // namespace forebay::postgres
