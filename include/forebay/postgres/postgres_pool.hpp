// PostgresPool: a pool of PostgreSQL sessions, complete: connector, pool, start and close
// in one object.
//
//   auto pool = PostgresPool::open(runtime, "postgresql://app@db/orders", options);
//   auto rows = (*pool)->query_blocking<std::string>("SELECT name FROM t WHERE id = $1", 42);
//   auto session = (*pool)->acquire_blocking(1s);
//
// Thread-safe. Made, closed and destroyed on threads of the application, never on the runtime's
// own. It keeps the runtime, and the cluster that it shares, until its own end. In a child after
// fork() nobody is served, with Errc::closed, and nothing is closed.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include "forebay/env/real/runtime.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/postgres/direct_statements.hpp"

namespace forebay::postgres {

class ConnectionString;
class LibpqConnector;
struct ServerProfile;

// query(), exec() and transaction() come from DirectStatements.
class PostgresPool final : public SessionSource, public DirectStatements<PostgresPool> {
 public:
  // Refuses bad options and a bad connection string before anything starts, all of them in one
  // error. Then fills, and returns when the low watermark is reached or initial_fill_limit has
  // passed; at once, with Errc::refused and the server's words, where waiting does not mend what
  // the server said (PoolOptions::initial_failure). The server's profile is applied to the options.
  static Result<std::unique_ptr<PostgresPool>> open(Runtime& runtime, const std::string& target,
                                                    PoolOptions options, PoolSharing sharing = {});
  PostgresPool(const PostgresPool&) = delete;
  PostgresPool& operator=(const PostgresPool&) = delete;
  // Closes, and waits for what is still lent to others. If the thread that destroys it holds one of
  // its sessions itself, it stops the process, with a sentence. For sessions that the server does
  // not let go of it waits ten seconds.
  ~PostgresPool() override;

  Result<PooledSession> acquire_blocking(
      Duration timeout, std::source_location from = std::source_location::current()) override;
  std::optional<PooledSession> try_acquire(
      std::source_location from = std::source_location::current());
  // For tasks of the runtime, on any of its loops.
  Task<Result<PooledSession>> acquire(
      Until until, std::source_location from = std::source_location::current()) override;

  // As a driver's open(): a session that is ready, or will be within PoolOptions::open_wait. For
  // threads, and for tasks.
  Result<PooledSession> open_blocking(std::source_location from = std::source_location::current());
  Task<Result<PooledSession>> open(std::source_location from = std::source_location::current());

  // True: everything is gone. False: when the limit passed, something was still lent, or a session
  // that the server had not let go of. It may be called again.
  bool close(Duration limit, std::source_location from = std::source_location::current());

  Result<void> resize(const PoolSize& size) { return pool_.resize(size); }
  PoolStatistics statistics() const { return pool_.statistics(); }
  Pool& pool() { return pool_; }
  Pool* sole_pool() override { return &pool_; }
  bool is_filled() const { return is_filled_; }  // whether the initial fill was done in time

  ServerKind server() const;  // what it is, by its name
  Duration call_timeout() const override { return pool_.call_timeout(); }
  const Observation& observation() const override { return observation_; }
  Env env() override { return runtime_.here().env; }
  Random& thread_random() override;

 private:
  PostgresPool(Runtime& runtime, ConnectionString target, const ServerProfile& profile,
               PoolOptions options, PoolSharing sharing);

  Runtime runtime_;
  const Observation observation_;
  const Share owner_;  // of what is shared; outlives the pool
  std::unique_ptr<LibpqConnector> connector_;
  Pool pool_;
  std::unique_ptr<Random> random_;  // always there once open() is through
  bool is_filled_ = false;
  std::atomic<bool> is_gone_ = false;
};

}  // namespace forebay::postgres
