// SessionSource: where sessions come from, for code that needs one now and then; and the session
// itself, on loan.
#pragma once

#include <source_location>

#include "forebay/env/env.hpp"
#include "forebay/pool/observer.hpp"
#include "forebay/pool/pooled_connection.hpp"
#include "forebay/postgres/driver/libpq_connection.hpp"

namespace forebay {
class Pool;
}

namespace forebay::postgres {

// A session on loan. Its destructor gives it back. One that was given back or moved away stops the
// process, with a sentence, when it is used.
class [[nodiscard]] PooledSession {
 public:
  explicit PooledSession(PooledConnection pooled) : pooled_(std::move(pooled)) {}

  LibpqConnection& operator*() const { return static_cast<LibpqConnection&>(pooled_.connection()); }
  LibpqConnection* operator->() const { return &**this; }

  Instant stale_at() const { return pooled_.stale_at(); }  // then it would not be handed out

  void give_back(std::source_location from = std::source_location::current()) {
    pooled_.give_back(from);
  }
  void discard(std::source_location from = std::source_location::current()) {
    pooled_.discard(from);
  }
  void mark_broken(std::source_location from = std::source_location::current()) {
    pooled_.mark_broken(from);
  }

 private:
  PooledConnection pooled_;
};

// A pool, or one tenant's part of many.
class SessionSource {
 public:
  virtual ~SessionSource() = default;

  // For tasks, of any loop.
  virtual Task<Result<PooledSession>> acquire(Until until, std::source_location from) = 0;
  // For threads of the application.
  virtual Result<PooledSession> acquire_blocking(Duration timeout, std::source_location from) = 0;

  // The one pool that all of its sessions come from. Null: there may be several.
  virtual Pool* sole_pool() { return nullptr; }

  // How long calls may take that say nothing themselves: PoolOptions::call_timeout.
  virtual Duration call_timeout() const = 0;

  // Who observes what is done with its sessions.
  virtual const Observation& observation() const = 0;

  virtual Env env() = 0;                // of the task that asks; on other threads, its scheduler's
  virtual Random& thread_random() = 0;  // chance for any thread
};

}  // namespace forebay::postgres
