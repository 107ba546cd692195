// LibpqConnection: one session with a PostgreSQL server, driven without blocking.
//
// One user at a time: the caller that acquired it, or the pool. The coroutine forms are for tasks
// of the runtime, on whichever of its loops: its socket is watched by the loop that waited last.
// The blocking form is for threads of the application: on that of a loop it would stop every other
// connection there while it waits, and is refused with Errc::invalid. In a
// child after fork() every statement is refused with Errc::closed, and nothing is sent.
//
// After a statement that ran into its deadline, or was cancelled, the connection is not usable,
// because the server is still at it. Its caller has an answer; the pool cancels it on the
// server, and then the session is cleared and used again, or closed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/detail/postgres/driver/libpq_handles.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/until.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/postgres/sql/batch.hpp"
#include "forebay/postgres/sql/copy_stream.hpp"
#include "forebay/postgres/sql/notification.hpp"
#include "forebay/postgres/sql/row_stream.hpp"
#include "forebay/postgres/sql/statement.hpp"
#include "forebay/postgres/sql/typed_queries.hpp"
#include "forebay/wire/leftovers.hpp"

namespace forebay {
struct Observation;
struct ServerNotice;
struct SessionOptions;
}  // namespace forebay

namespace forebay::postgres {

class AbandonedRows;
class CopyRun;
class Dialogue;
class ExecRun;
class LibpqStep;
class NoticeSettings;
class PipelineRun;
class SessionReset;
class SessionSocket;
class StartedStep;
class StatementErrand;
struct CancelKey;
struct ServerProfile;
enum class Need : std::uint8_t;

// As the server said with its last answer.
enum class TransactionState : std::uint8_t {
  none,
  open,
  failed,  // a statement failed in it: it can only be rolled back
  busy,    // a statement or COPY is not finished
  lost,    // so is the connection
};

// query(), query_one() and query_optional() come from TypedQueries, stream() from StreamedQueries.
class LibpqConnection final : public Connection,
                              public TypedQueries<LibpqConnection>,
                              public StreamedQueries<LibpqConnection> {
 public:
  // REQUIRES: the handle is connected; the socket is a share of its socket.
  LibpqConnection(Scheduler& scheduler, LibpqHandle handle, std::unique_ptr<SessionSocket> socket,
                  const ServerProfile& profile);
  // Before the first statement.
  void set_options(const SessionOptions& options);
  void set_call_timeout(Duration timeout);
  void set_observation(const Observation& observation);
  LibpqConnection(const LibpqConnection&) = delete;
  LibpqConnection& operator=(const LibpqConnection&) = delete;
  ~LibpqConnection() override;  // without close(): tells the server and does not wait for it

  // Errors: Errc::statement_failed with the server's SQLSTATE (the connection lives on),
  // connection_lost, timed_out and cancelled (the connection is not usable any more, unless nothing
  // was sent yet), invalid (nothing was sent). A statement that timed out or was cancelled may have
  // been applied all the same: the server hears of it only afterwards, and outside of a transaction
  // nothing takes back what was done before.
  Task<Result<QueryResult>> exec(Statement statement, Parameters parameters, Until until);
  Task<Result<QueryResult>> exec(Statement statement, Until until) {
    return exec(std::move(statement), Parameters(), until);
  }
  // Who says no time has PoolOptions::call_timeout.
  Task<Result<QueryResult>> exec(Statement statement, Parameters parameters = Parameters()) {
    return exec(std::move(statement), std::move(parameters), call_deadline());
  }

  Result<QueryResult> exec_blocking(const Statement& statement, const Parameters& parameters,
                                    Duration timeout);
  Result<QueryResult> exec_blocking(const Statement& statement, Duration timeout) {
    return exec_blocking(statement, Parameters(), timeout);
  }
  // Until a moment that the caller knows already, which saves a look at the clock.
  Result<QueryResult> exec_blocking_until(const Statement& statement, const Parameters& parameters,
                                          Instant deadline);
  Result<QueryResult> exec_blocking(const Statement& statement,
                                    const Parameters& parameters = Parameters()) {
    return exec_blocking(statement, parameters, call_timeout());
  }

  // Many statements in one round trip: the answers in their order, or the error of the first that
  // failed, which says where it stood. Outside of a transaction a batch is one of its own: all of
  // it is applied, or nothing. Errors: those of exec(); after connection_lost and timed_out it may
  // have been applied all the same.
  Task<Result<std::vector<QueryResult>>> exec_batch(Batch batch, Until until);
  Result<std::vector<QueryResult>> exec_batch_blocking(const Batch& batch, Duration timeout);
  // The same with COMMIT as the last of them, whose answer is not among the others. An error with
  // the session in TransactionState::none is that of COMMIT.
  Task<Result<std::vector<QueryResult>>> exec_batch_and_commit(Batch batch, Until until);
  Result<std::vector<QueryResult>> exec_batch_and_commit_blocking(const Batch& batch,
                                                                  Duration timeout);

  // How to begin the transaction in which everything runs that comes next: it travels with the
  // first statement, or goes before it where that is a COPY, several statements in one text, or
  // unknown. It is pending until the server has agreed. Without a statement nothing is sent.
  void begin_with_next(std::string begin, Instant deadline);
  void forget_begin();
  bool is_begin_pending() const;
  // Sends it alone, if it is pending.
  Task<Result<void>> begin_now(Until until);
  Result<void> begin_now_blocking(Duration timeout);

  // What has come from the server is read, without waiting: false if that was its end.
  bool is_heard_alive();

  // Streams COPY … FROM STDIN from the source, and COPY … TO STDOUT to the sink, in the order and
  // form of the SQL; copy_text.hpp helps with rows. The answer is the number of rows. Errors: those
  // of exec(), and whatever the source or sink says. On a task, both are called on its scheduler.
  Task<Result<std::uint64_t>> copy_in(std::string sql, CopySource source, Until until);
  Task<Result<std::uint64_t>> copy_out(std::string sql, CopySink sink, Until until);
  // The same for functions of other types: they are copied into a CopySource or CopySink.
  template <CallableOtherThan<CopySource> Source>
  Task<Result<std::uint64_t>> copy_in(std::string sql, Source&& source, Until until) {
    forebay::detail::require_safe_callable<Source>();
    return copy_in(std::move(sql), CopySource(std::forward<Source>(source)), until);
  }
  template <CallableOtherThan<CopySink> Sink>
  Task<Result<std::uint64_t>> copy_out(std::string sql, Sink&& sink, Until until) {
    forebay::detail::require_safe_callable<Sink>();
    return copy_out(std::move(sql), CopySink(std::forward<Sink>(sink)), until);
  }
  Result<std::uint64_t> copy_in_blocking(const std::string& sql, const CopySource& source,
                                         Duration timeout);
  Result<std::uint64_t> copy_out_blocking(const std::string& sql, const CopySink& sink,
                                          Duration timeout);

  // What stream() is made of. `first` is the limit up to the first row.
  Task<Result<StreamedRows>> open_rows(Statement statement, Parameters parameters, Until first,
                                       StreamLimit limit);
  Result<StreamedRows> open_rows_blocking(const Statement& statement, const Parameters& parameters,
                                          StreamLimit limit);
  // Reads what a stream left that was let go before its end, as each statement does by itself.
  // Errc::invalid: that would be too much.
  Task<Result<void>> settle(Until until);
  Result<void> settle_blocking(Duration timeout);
  // What the latest stream that failed ended with. Kept for those who run a transaction.
  std::optional<Error> stream_failure() const;
  void forget_stream_failure();

  // What was said on the channels that the session listens to, as soon as there is something.
  // Errors are connection_lost; timed_out and cancelled, after which the session is as good as
  // before; and those of misuse. Listener is made of it.
  Task<Result<std::vector<Notification>>> hear(Until until);

  TransactionState transaction_state() const;
  Scheduler& scheduler() const { return scheduler_; }
  Duration call_timeout() const;
  Until call_deadline() const;  // of a call that begins now

  // Without one, nothing can be cancelled.
  void set_cancel_key(const CancelKey& key);
  // What is known of the server's attention to us.
  void set_notice(const ServerNotice& notice);
  // Tells the server by a statement how soon to notice our end, now and after each reset. A server
  // that refuses it is left alone; of one that accepted it all, that much is known.
  Task<Result<void>> set_notice_settings(NoticeSettings settings, ServerNotice known,
                                         Instant deadline);
  const ServerNotice& notice() const;

  // libpq's own PGconn, for what is missing here. It is in non-blocking mode, not in pipeline mode,
  // and stays ours: no PQfinish, no PQreset. Null after close(). That a transaction has failed it
  // may hear with its next statement only: transaction_state() knows. A transaction that has not
  // begun yet begins now, which waits for the server, and is null if it does not: on a loop
  // begin_now() comes first, or the process is stopped for misuse. Null while rows are streamed.
  pg_conn* native();

  bool is_usable() const noexcept override;
  bool needs_reset() const noexcept override { return session_ != Session::clean; }
  bool needs_cancel() const noexcept override { return needs_cancel_; }
  Task<Result<void>> cancel(Instant deadline) override;
  void begin_reset() noexcept override;
  Task<Result<void>> reset(Instant deadline) override;
  Result<void> mark_prepared() override;
  Task<Result<void>> check(Instant deadline) override;
  Task<bool> close(Instant deadline) override;

 private:
  // What a user, or the application's hook, may find.
  enum class Session : std::uint8_t {
    clean,
    used,
    cleared,  // reset, and not yet prepared again
  };

  friend class StatementErrand;
  friend class StreamedRows;

  // libpq, for whatever may use the socket: a Dialogue rests from now on.
  pg_conn* libpq() const;
  // Null: the session has something that only libpq knows how to deal with, and libpq has the word.
  Dialogue* dialogue() const;
  bool may_hear_unasked() const;  // by what was done in it since the last reset
  Result<void> wait_blocking(Need need, Duration at_most);
  bool is_answering() const;  // the server is not done with the latest statement
  void refuse_without_loan() const;
  Result<void> in_time_to_send(const Until& until) const;
  Result<void> begin(StartedStep& work, wire::Leftovers leftovers);
  // A user's work: begun, unless it is too late already, and driven to its end.
  Task<Result<void>> perform(StartedStep& work, wire::Leftovers leftovers, Until until);
  Result<void> perform_blocking(std::string_view sql, StartedStep& work, wire::Leftovers leftovers,
                                Instant deadline);
  // A thread's statement that somebody else begins in its place. False: nothing is begun, because
  // it would take more than to send it, or cannot be. The run is driven on, by anybody, until its
  // thread finishes it.
  bool begin_for_other(std::optional<ExecRun>& run, const Statement& statement,
                       const Parameters& parameters, Instant deadline);
  Result<QueryResult> finish_begun(ExecRun& run, Need need, Instant deadline);
  int descriptor() const;  // to be watched while it is used
  // One statement, with what is to be sent before it.
  Task<Result<QueryResult>> exec_together(Statement statement, Parameters parameters, Until until);
  Result<QueryResult> exec_together_blocking(const Statement& statement,
                                             const Parameters& parameters, Instant deadline);
  Task<Result<std::vector<QueryResult>>> run_batch(Batch batch, bool commits, Until until);
  Result<std::vector<QueryResult>> run_batch_blocking(const Batch& batch, bool commits,
                                                      Duration timeout);
  Result<std::vector<QueryResult>> finish_batch(PipelineRun& run, const Batch& batch);
  std::vector<Notification> take_notifications();
  bool begin_for_native();
  void leave_rest();
  bool note_rest(const AbandonedRows& rest);
  Result<void> settled(const AbandonedRows& rest);
  Task<bool> settle_soon(Instant deadline);
  wire::Leftovers left_by(const std::string& sql);
  void begin_use(wire::Leftovers leftovers);
  void end_use();
  void make_reset();
  Result<void> check_idle() const;
  template <class T>
  Result<T> finish(Result<T> outcome);
  void note_failure(const Error& error);
  Result<std::uint64_t> finish_copy(CopyRun& copy);
  Task<Result<bool>> drain_cancelled(Instant deadline);
  Task<Result<void>> drive(LibpqStep& step, Until until);
  Result<void> drive_blocking(LibpqStep& step, Instant deadline);
  Task<Result<QueryResult>> run(std::string sql, Instant deadline);
  Result<void> finish_reset(SessionReset& work);
  void forget_client_state();
  Error give_up(Error error);
  Duration time_until(Instant deadline) const;

  // What is not asked each time that a connection is given back, the socket among it.
  struct Parts;

  Scheduler& scheduler_;
  std::unique_ptr<Parts> parts_;
  LibpqHandle handle_;  // after parts_: PQfinish comes first, then the last descriptor closes
  std::unique_ptr<SessionReset> reset_;  // while it is being done
  bool is_broken_ = false;
  bool needs_cancel_ = false;
  Session session_ = Session::clean;
  bool is_prepared_ = false;  // the application has a hook for what resets undo
};

}  // namespace forebay::postgres
