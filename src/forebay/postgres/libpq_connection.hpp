// LibpqConnection: one session with a PostgreSQL server, driven without blocking.
//
// One user at a time: whoever has acquired it, or the pool. The coroutine forms are for tasks of
// the pool's scheduler. The blocking form is for threads of the application: on the scheduler's own
// it would stop every other connection while it waits, and is refused with Errc::invalid. In a
// child after fork() every statement is refused with Errc::closed, and nothing is sent.
//
// After a statement that ran into its deadline the connection is not usable, because the server is
// still at it. Whoever gave the deadline has its answer; the pool cancels the statement, and then
// the session is cleared and used again, or closed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/fork_mark.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/postgres/cancel_key.hpp"
#include "forebay/postgres/copy_run.hpp"
#include "forebay/postgres/exec_run.hpp"
#include "forebay/postgres/libpq_step.hpp"
#include "forebay/postgres/notice_settings.hpp"
#include "forebay/postgres/server_profile.hpp"
#include "forebay/postgres/session_socket.hpp"
#include "forebay/postgres/statement.hpp"
#include "forebay/postgres/typed_queries.hpp"

namespace forebay::postgres {

class SessionReset;

// As the server said with its last answer.
enum class TransactionState : std::uint8_t {
  none,
  open,
  failed,  // a statement failed in it: it can only be rolled back
  busy,    // a statement or COPY is not finished
  lost,    // so is the connection
};

// query(), query_one() and query_optional() come from TypedQueries.
class LibpqConnection final : public Connection, public TypedQueries<LibpqConnection> {
 public:
  // REQUIRES: the handle is connected; the socket is a share of its socket.
  LibpqConnection(Scheduler& scheduler, LibpqHandle handle, std::unique_ptr<SessionSocket> socket,
                  ServerProfile profile);
  ~LibpqConnection() override;  // without close(): tells the server and does not wait for it

  // Errors: Errc::statement_failed with the server's SQLSTATE (the connection lives on),
  // connection_lost, timed_out (the connection is not usable any more), invalid (nothing was sent).
  // A statement that timed out may have been applied all the same: it is cancelled only after its
  // deadline, and outside of a transaction nothing takes back what was done before.
  Task<Result<QueryResult>> exec(Statement statement, Parameters parameters, Instant deadline);
  Task<Result<QueryResult>> exec(Statement statement, Instant deadline);

  Result<QueryResult> exec_blocking(const Statement& statement, const Parameters& parameters,
                                    Duration timeout);
  Result<QueryResult> exec_blocking(const Statement& statement, Duration timeout);

  // Streams COPY … FROM STDIN from the source, and COPY … TO STDOUT to the sink, in the order and
  // form of the SQL; copy_text.hpp helps with rows. The answer is the number of rows. Errors: those
  // of exec(), and whatever the source or sink says. On a task, both are called on its scheduler.
  Task<Result<std::uint64_t>> copy_in(std::string sql, CopySource source, Instant deadline);
  Task<Result<std::uint64_t>> copy_out(std::string sql, CopySink sink, Instant deadline);
  // The same for functions of other types: they are copied into a CopySource or CopySink.
  template <CallableOtherThan<CopySource> Source>
  Task<Result<std::uint64_t>> copy_in(std::string sql, Source&& source, Instant deadline) {
    forebay::detail::require_safe_callable<Source>();
    return copy_in(std::move(sql), CopySource(std::forward<Source>(source)), deadline);
  }
  template <CallableOtherThan<CopySink> Sink>
  Task<Result<std::uint64_t>> copy_out(std::string sql, Sink&& sink, Instant deadline) {
    forebay::detail::require_safe_callable<Sink>();
    return copy_out(std::move(sql), CopySink(std::forward<Sink>(sink)), deadline);
  }
  Result<std::uint64_t> copy_in_blocking(const std::string& sql, const CopySource& source,
                                         Duration timeout);
  Result<std::uint64_t> copy_out_blocking(const std::string& sql, const CopySink& sink,
                                          Duration timeout);

  TransactionState transaction_state() const;
  const Scheduler& scheduler() const { return scheduler_; }

  // Without one, nothing can be cancelled.
  void set_cancel_key(const CancelKey& key) { cancel_key_ = key; }
  // What is known of the server's attention to us.
  void set_notice(ServerNotice notice) { notice_ = notice; }
  // Tells the server by a statement how soon to miss us, now and after each reset. A server that
  // does not want to hear of it is left alone; of one that heard it all, that much is known.
  Task<Result<void>> tell(NoticeSettings settings, ServerNotice known, Instant deadline);
  const ServerNotice& notice() const { return notice_; }

  // libpq's own PGconn, for what is missing here. It is in non-blocking mode and stays ours: no
  // PQfinish, no PQreset. Null after close().
  pg_conn* native();

  bool is_usable() const noexcept override;
  bool needs_reset() const noexcept override { return needs_reset_; }
  bool needs_cancel() const noexcept override { return needs_cancel_; }
  Task<Result<void>> cancel(Instant deadline) override;
  void begin_reset() noexcept override;
  Task<Result<void>> reset(Instant deadline) override;
  Task<Result<void>> check(Instant deadline) override;
  Task<bool> close(Instant deadline) override;

 private:
  // A user's work: begun, unless the deadline has passed already, and driven to its end.
  Task<Result<void>> perform(StartedStep& work, Instant deadline);
  Result<void> perform_blocking(std::string_view sql, StartedStep& work, Duration timeout);
  Result<void> check_idle() const;
  template <class T>
  Result<T> finish(Result<T> outcome);
  Result<std::uint64_t> finish_copy(CopyRun& copy);
  Task<Result<void>> drive(LibpqStep& step, Instant deadline);
  Result<void> drive_blocking(LibpqStep& step, Instant deadline);
  Task<Result<QueryResult>> run(std::string sql, Instant deadline);
  Result<void> finish_reset(SessionReset& work);
  void forget_client_state();
  Error give_up(Error error);

  Scheduler& scheduler_;
  ServerProfile profile_;
  ServerNotice notice_;
  std::unique_ptr<SessionSocket> socket_;
  LibpqHandle handle_;  // after socket_: PQfinish comes first, then the last descriptor closes
  PreparedNames prepared_;
  std::unique_ptr<SessionReset> reset_;  // while it is being done
  std::optional<CancelKey> cancel_key_;
  const ForkMark process_;
  bool is_broken_ = false;
  bool needs_cancel_ = false;
  bool needs_reset_ = false;
};

}  // namespace forebay::postgres
