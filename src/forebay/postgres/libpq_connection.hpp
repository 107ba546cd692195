// LibpqConnection: one session with a PostgreSQL server, driven without blocking.
//
// One user at a time: whoever has acquired it, or the pool. The coroutine forms are for tasks of
// the pool's scheduler. The blocking form is for threads of the application and must never be
// called on the scheduler's own thread: it would stop every other connection while it waits. After
// a statement that timed out the connection is not usable, because its answer is still on the way.
#pragma once

#include <string>

#include "forebay/pool/connection.hpp"
#include "forebay/postgres/libpq_step.hpp"
#include "forebay/postgres/server_profile.hpp"
#include "forebay/postgres/session_socket.hpp"

namespace forebay::postgres {

class SessionReset;

class LibpqConnection final : public Connection {
 public:
  // REQUIRES: the handle is connected; the socket is a share of its socket.
  LibpqConnection(Scheduler& scheduler, LibpqHandle handle, std::unique_ptr<SessionSocket> socket,
                  ServerProfile profile);
  ~LibpqConnection() override;  // without close(): tells the server and does not wait for it

  // Errors: Errc::statement_failed with the server's SQLSTATE (the connection lives on),
  // connection_lost, timed_out (the connection is not usable any more), invalid (nothing was sent).
  Task<Result<QueryResult>> exec(std::string sql, Parameters parameters, Instant deadline);
  Task<Result<QueryResult>> exec(std::string sql, Instant deadline);

  Result<QueryResult> exec_blocking(const std::string& sql, const Parameters& parameters,
                                    Duration timeout);
  Result<QueryResult> exec_blocking(const std::string& sql, Duration timeout);

  // libpq's own PGconn, for what is missing here. It is in non-blocking mode and stays ours: no
  // PQfinish, no PQreset. Null after close().
  pg_conn* native();

  bool is_usable() const noexcept override;
  bool needs_reset() const noexcept override { return needs_reset_; }
  Task<Result<void>> reset(Instant deadline) override;
  Result<void> reset_blocking(Duration timeout) override;
  Task<Result<void>> check(Instant deadline) override;
  Task<void> close(Instant deadline) override;

 private:
  Result<void> begin(StatementRun& run, const std::string& sql, const Parameters& parameters) const;
  Result<QueryResult> finish(StatementRun& run);
  Task<Result<void>> drive(LibpqStep& step, Instant deadline);
  Result<void> drive_blocking(LibpqStep& step, Instant deadline);
  Task<Result<void>> run(std::string sql, Instant deadline);
  Result<void> finish_reset(SessionReset& work);
  void forget_client_state();
  Error give_up(Error error);

  Scheduler& scheduler_;
  const ServerProfile profile_;
  std::unique_ptr<SessionSocket> socket_;
  LibpqHandle handle_;  // after socket_: PQfinish comes first, then the last descriptor closes
  bool is_broken_ = false;
  bool needs_reset_ = false;
};

}  // namespace forebay::postgres
