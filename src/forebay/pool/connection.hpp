// The two interfaces a driver implements for the pool: a connection, and how to get one.
//
// All calls come from tasks of the pool's scheduler, except is_usable(), needs_reset() and
// needs_cancel(), which are asked by whoever gives a connection back and so look at memory only,
// and begin_reset().
#pragma once

#include <memory>
#include <string>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class Connection {
 public:
  virtual ~Connection() = default;

  virtual bool is_usable() const noexcept = 0;    // false once an error has made it useless
  virtual bool needs_reset() const noexcept = 0;  // true if its user may have left something behind

  // True: a statement ran into its deadline, is_usable() is false for it, and cancel() may help.
  virtual bool needs_cancel() const noexcept { return false; }
  // Asks the server, over a connection of its own, to end that statement. When it has worked, the
  // connection is usable again, for a reset. The server counts a connect, and no session.
  virtual Task<Result<void>> cancel(Instant) {
    co_return failure(Errc::invalid, "this driver cannot cancel");
  }

  // Goes on with a reset as far as that needs no waiting, on the thread of whoever gives the
  // connection back. Then needs_reset() tells whether it is done, and reset() does the rest.
  virtual void begin_reset() noexcept {}
  // Rolls back what is open and clears the session, so that the next user finds nothing of
  // the last one.
  virtual Task<Result<void>> reset(Instant deadline) = 0;
  // Asks the server whether it is still there.
  virtual Task<Result<void>> check(Instant deadline) = 0;
  // Says goodbye and ends when the server has let go of the session or must have, true, or at the
  // deadline, false; then it may be called again. Otherwise the connection is only destroyed. The
  // server counts a session until it has ended, and so must we.
  virtual Task<bool> close(Instant deadline) = 0;
};

class Connector {
 public:
  virtual ~Connector() = default;
  // One attempt, with this password; if it is empty, with whatever the connector has of its own.
  // Errc::token_expired: the server says that the password has run out. When an attempt fails,
  // nothing of it is left on the server, and no error repeats the password.
  virtual Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                            Instant deadline) = 0;
  // Ends attempts in progress early, with Errc::closed. Confined to the scheduler.
  virtual void close() = 0;
  // What the server has not let go of by now is no longer waited for. Confined to the scheduler.
  virtual void give_up() {}
};

}  // namespace forebay
