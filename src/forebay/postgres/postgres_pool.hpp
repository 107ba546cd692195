// PostgresPool: a pool of PostgreSQL sessions, complete: connector, pool, start and close
// in one object.
//
//   auto pool = PostgresPool::open(runtime, "postgresql://app@db/orders", options);
//   auto session = (*pool)->acquire_blocking(1s);
//   auto rows = (*session)->exec_blocking("select now()", 5s);
//
// Thread-safe. Made, closed and destroyed on threads of the application, never on
// the runtime's own.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include "forebay/env/real/runtime.hpp"
#include "forebay/pool/pool.hpp"
#include "forebay/postgres/libpq_connection.hpp"
#include "forebay/postgres/libpq_connector.hpp"

namespace forebay::postgres {

// A session on loan. Its destructor gives it back.
class [[nodiscard]] PooledSession {
 public:
  explicit PooledSession(PooledConnection pooled) : pooled_(std::move(pooled)) {}

  LibpqConnection& operator*() const { return static_cast<LibpqConnection&>(pooled_.connection()); }
  LibpqConnection* operator->() const { return &**this; }

  void give_back() { pooled_.give_back(); }
  void discard() { pooled_.discard(); }
  void mark_broken() { pooled_.mark_broken(); }

 private:
  PooledConnection pooled_;
};

class PostgresPool {
 public:
  // Refuses bad options and a bad connection string before anything starts, all of them in one
  // error. Then fills, and comes back when the low watermark is reached or initial_fill_limit has
  // passed. What the server's kind dictates (session limit, longest transaction, pace) is filled in
  // where the options leave it open.
  static Result<std::unique_ptr<PostgresPool>> open(Runtime& runtime, const std::string& target,
                                                    PoolOptions options, PoolSharing sharing = {});
  PostgresPool(const PostgresPool&) = delete;
  PostgresPool& operator=(const PostgresPool&) = delete;
  ~PostgresPool();  // closes, and waits for what is still lent

  Result<PooledSession> acquire_blocking(
      Duration timeout, std::source_location from = std::source_location::current());
  std::optional<PooledSession> try_acquire(
      std::source_location from = std::source_location::current());
  // For tasks of the runtime's scheduler.
  Task<Result<PooledSession>> acquire(Instant deadline,
                                      std::source_location from = std::source_location::current());

  // True: everything is gone. False: something was still lent when the limit passed.
  bool close(Duration limit);

  Result<void> resize(const PoolSize& size) { return pool_.resize(size); }
  PoolStatistics statistics() const { return pool_.statistics(); }
  Pool& pool() { return pool_; }
  bool is_filled() const { return is_filled_; }  // whether the initial fill was done in time

 private:
  PostgresPool(Runtime& runtime, ConnectionString target, const ServerProfile& profile,
               PoolOptions options, PoolSharing sharing);

  Runtime& runtime_;
  LibpqConnector connector_;
  Pool pool_;
  bool is_filled_ = false;
  std::atomic<bool> is_gone_ = false;
};

}  // namespace forebay::postgres
