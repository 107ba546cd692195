// The two interfaces a driver implements for the pool: a connection, and how to get one.
//
// A connection is used by one task or thread at a time. The pool's own calls come from tasks: of
// the loop whose task used the connection last, or of the pool's own; only is_usable(),
// needs_reset() and needs_cancel(), which look at memory only, and begin_reset() come from the one
// that gives it back. So what waits for the server waits on the loop it is called on, whichever
// waited before. It may be destroyed on another one. A connector is called by tasks of the pool's
// scheduler.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "forebay/base/error.hpp"
#include "forebay/base/server_kind.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  virtual bool is_usable() const noexcept = 0;    // false once an error has made it useless
  virtual bool needs_reset() const noexcept = 0;  // true: something may be left behind or undone

  // True: a statement ran into its deadline, is_usable() is false for it, and cancel() may help.
  virtual bool needs_cancel() const noexcept { return false; }
  // Asks the server, over a separate connection, to end that statement. When that has worked, the
  // connection is usable again, for a reset. The server counts a connect, and no session.
  virtual Task<Result<void>> cancel(Instant) {
    co_return failure(Errc::invalid, "this driver cannot cancel");
  }

  // Goes on with a reset as far as that needs no waiting, on the thread of the one that gives the
  // connection back. Then needs_reset() tells whether it is done, and reset() does the rest.
  virtual void begin_reset() noexcept {}
  // Rolls back what is open and clears the session, so that the next user finds nothing of
  // the last one.
  virtual Task<Result<void>> reset(Instant deadline) = 0;
  // The application has prepared the session: as it is now, every user is to find it. That needs no
  // reset, and after one it is prepared again. Errc::invalid: nobody could use it as it is now.
  virtual Result<void> mark_prepared() { return {}; }
  // Asks the server whether it is still there.
  virtual Task<Result<void>> check(Instant deadline) = 0;
  // Says goodbye and ends when the server has let go of the session or must have, true, or at the
  // deadline, false; then it may be called again. Otherwise the connection is only destroyed. The
  // server counts a session until it has ended, and so must we.
  virtual Task<bool> close(Instant deadline) = 0;

  // Whether it is in somebody's hands. A driver works for nobody else: a reference that was kept
  // beyond the loan may meet the next user.
  bool is_held() const noexcept { return is_held_.load(std::memory_order_relaxed); }
  void set_held(bool is_held) noexcept { is_held_.store(is_held, std::memory_order_relaxed); }

  // The connection is in use while this lives: by a statement, or by another library. Giving it
  // back meanwhile would give it to two.
  class Use {
   public:
    explicit Use(Connection& connection) noexcept : connection_(connection) { count(+1); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { count(-1); }

   private:
    void count(int change) noexcept {
      connection_.uses_.fetch_add(change, std::memory_order_relaxed);
    }
    Connection& connection_;
  };
  bool is_in_use() const noexcept { return uses_.load(std::memory_order_relaxed) != 0; }

 private:
  // Relaxed: they are for finding mistakes, and order nothing.
  std::atomic<bool> is_held_ = true;
  std::atomic<int> uses_ = 0;
};

class Connector {
 public:
  virtual ~Connector() = default;
  // One attempt, with this password; if it is empty, with whatever the connector has of its own.
  // Errc::token_expired: the server says that the password has run out. Errc::limit_reached: it has
  // no connection left for us; Errc::rate_reached: not at this rate. When an attempt fails, nothing
  // of it is left on the server, and no error repeats the password.
  virtual Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                            Instant deadline) = 0;
  // Ends attempts in progress early, with Errc::closed. Confined to the scheduler.
  virtual void close() = 0;
  // What the server has not let go of by now is no longer waited for. Confined to the scheduler.
  virtual void give_up() {}
  // What kind of server it is, for the log.
  virtual ServerKind server() const { return ServerKind::other; }
};

}  // namespace forebay
