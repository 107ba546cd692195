// For applications that use libpqxx 6: a pqxx connection on a session of the pool.
//
//   auto session = pool->acquire_blocking(1s);
//   forebay::postgres::PqxxConnection connection(**session);
//   pqxx::work work(connection);
//   work.exec("UPDATE account SET seen = now()");
//   work.commit();
//
// It opens nothing and closes nothing: the session goes back to the pool, which clears it. When the
// server drops the session, libpqxx throws pqxx::broken_connection and does not reconnect, because
// only the pool opens connections; acquire another one. Like all of libpqxx it blocks its thread,
// so it is not for tasks, and it throws. It knows no deadlines: set statement_timeout, say.
//
// Link libpqxx yourself; forebay does not. REQUIRES: the session is not used otherwise in the
// meantime. One that is given back before this ends stops the process, with a sentence.
#pragma once

#include <utility>

#include <libpq-fe.h>
#include <pqxx/pqxx>

#include "forebay/postgres/driver/libpq_connection.hpp"

namespace forebay::postgres {

namespace detail {

// Lends the session's PGconn once. Whatever libpqxx wants to close is only let go.
class LendOnce final : public pqxx::connectionpolicy {
 public:
  explicit LendOnce(pg_conn* lent) : pqxx::connectionpolicy(""), lent_(lent) {}

  handle do_startconnect(handle held) override { return held != nullptr ? held : lend(); }
  handle do_completeconnect(handle held) override { return held != nullptr ? held : lend(); }
  handle do_dropconnect(handle) noexcept override { return nullptr; }
  handle do_disconnect(handle) noexcept override { return nullptr; }
  bool is_ready(handle held) const noexcept override { return held != nullptr; }

 private:
  handle lend() {
    if (lent_ == nullptr) {
      throw pqxx::broken_connection("the session was lost or given up; acquire another one");
    }
    return std::exchange(lent_, nullptr);
  }

  pg_conn* lent_;
};

}  // namespace detail

class PqxxConnection final : public pqxx::connection_base {
 public:
  // Throws pqxx::broken_connection if the session is lost already.
  explicit PqxxConnection(LibpqConnection& session)
      : pqxx::connection_base(policy_), loan_(session, *this), policy_(loan_.native()) {
    init();
  }
  PqxxConnection(const PqxxConnection&) = delete;
  PqxxConnection& operator=(const PqxxConnection&) = delete;
  ~PqxxConnection() noexcept { close(); }

 private:
  // What libpqxx needs of a PGconn, and back to what the session needs.
  class Loan {
   public:
    Loan(LibpqConnection& session, PqxxConnection& borrower)
        : native_(session.native()), use_(session) {
      PQsetnonblocking(native_, 0);  // libpqxx takes a full socket for an error
      PQsetNoticeReceiver(native_, &call_handlers, &borrower);
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      ignore_notices(native_);
      PQsetnonblocking(native_, 1);
    }
    pg_conn* native() const { return native_; }

   private:
    static void call_handlers(void* borrower, const pg_result* notice) {
      static_cast<PqxxConnection*>(borrower)->process_notice(PQresultErrorMessage(notice));
    }

    pg_conn* native_;
    Connection::Use use_;
  };

  Loan loan_;
  detail::LendOnce policy_;  // the base keeps a reference, and uses it in init() first
};

}  // namespace forebay::postgres
