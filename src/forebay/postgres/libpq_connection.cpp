// Waiting is all that differs between the two forms of each thing; everything else is shared.
#include "forebay/postgres/libpq_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include "forebay/core/sqlstate.hpp"
#include "forebay/postgres/cancel_request.hpp"
#include "forebay/postgres/libpq_error.hpp"
#include "forebay/postgres/session_reset.hpp"

namespace forebay::postgres {
namespace {

Readiness readiness(Need need) {
  return need == Need::readable ? Readiness::readable : Readiness::either;
}

short poll_events(Need need) { return need == Need::readable ? POLLIN : POLLIN | POLLOUT; }

int poll_milliseconds(Duration left) {
  static constexpr Duration kLongest = std::chrono::hours(1);  // poll() counts in an int
  return static_cast<int>(
      std::chrono::ceil<std::chrono::milliseconds>(std::min(left, kLongest)).count());
}

constexpr std::size_t kShownOfStatement = 60;

Error timed_out() {
  return Error(Errc::timed_out, "the server did not answer before the deadline");
}

Error too_late_to_send() {
  return Error(Errc::timed_out, "the deadline had passed before the statement was sent");
}

}  // namespace

LibpqConnection::LibpqConnection(Scheduler& scheduler, LibpqHandle handle,
                                 std::unique_ptr<SessionSocket> socket, ServerProfile profile)
    : scheduler_(scheduler),
      profile_(std::move(profile)),
      socket_(std::move(socket)),
      handle_(std::move(handle)) {
  forget_client_state();
  socket_->unwatch();
}

LibpqConnection::~LibpqConnection() {
  if (!process_.is_in_child()) return;
  // The session goes on in the parent: no goodbye, and no word to the loop, which both share.
  static_cast<void>(handle_.release());
  static_cast<void>(socket_.release());
}

Task<Result<QueryResult>> LibpqConnection::exec(Statement statement, Parameters parameters,
                                                Instant deadline) {
  ExecRun run(handle_.get(), prepared_, statement, parameters);
  const Result<void> performed = co_await perform(run, deadline);
  if (!performed) co_return failure(performed.error());
  co_return finish(run.take());
}

Task<Result<QueryResult>> LibpqConnection::exec(Statement statement, Instant deadline) {
  return exec(std::move(statement), Parameters(), deadline);
}

Result<QueryResult> LibpqConnection::exec_blocking(const Statement& statement,
                                                   const Parameters& parameters, Duration timeout) {
  ExecRun run(handle_.get(), prepared_, statement, parameters);
  const Result<void> performed = perform_blocking(statement.sql(), run, timeout);
  if (!performed) return failure(performed.error());
  return finish(run.take());
}

Result<QueryResult> LibpqConnection::exec_blocking(const Statement& statement, Duration timeout) {
  return exec_blocking(statement, Parameters(), timeout);
}

Task<Result<std::uint64_t>> LibpqConnection::copy_in(std::string sql, CopySource source,
                                                     Instant deadline) {
  CopyIn copy(handle_.get(), sql, source, Deadline(scheduler_, deadline));
  const Result<void> performed = co_await perform(copy, deadline);
  if (!performed) co_return failure(performed.error());
  co_return finish_copy(copy);
}

Task<Result<std::uint64_t>> LibpqConnection::copy_out(std::string sql, CopySink sink,
                                                      Instant deadline) {
  CopyOut copy(handle_.get(), sql, sink);
  const Result<void> performed = co_await perform(copy, deadline);
  if (!performed) co_return failure(performed.error());
  co_return finish_copy(copy);
}

Result<std::uint64_t> LibpqConnection::copy_in_blocking(const std::string& sql,
                                                        const CopySource& source,
                                                        Duration timeout) {
  CopyIn copy(handle_.get(), sql, source,
              Deadline(scheduler_, deadline_after(scheduler_.now(), timeout)));
  const Result<void> performed = perform_blocking(sql, copy, timeout);
  if (!performed) return failure(performed.error());
  return finish_copy(copy);
}

Result<std::uint64_t> LibpqConnection::copy_out_blocking(const std::string& sql,
                                                         const CopySink& sink, Duration timeout) {
  CopyOut copy(handle_.get(), sql, sink);
  const Result<void> performed = perform_blocking(sql, copy, timeout);
  if (!performed) return failure(performed.error());
  return finish_copy(copy);
}

pg_conn* LibpqConnection::native() {
  needs_reset_ = true;
  return handle_.get();
}

TransactionState LibpqConnection::transaction_state() const {
  if (!is_usable()) return TransactionState::lost;
  switch (PQtransactionStatus(handle_.get())) {
    case PQTRANS_IDLE: return TransactionState::none;
    case PQTRANS_INTRANS: return TransactionState::open;
    case PQTRANS_INERROR: return TransactionState::failed;
    case PQTRANS_ACTIVE: return TransactionState::busy;
    default: return TransactionState::lost;
  }
}

bool LibpqConnection::is_usable() const noexcept {
  return handle_ && !is_broken_ && PQstatus(handle_.get()) == CONNECTION_OK;
}

Result<void> LibpqConnection::check_idle() const {
  if (process_.is_in_child()) return failure(Errc::closed, kUsedAfterFork);
  if (!is_usable()) return failure(Errc::connection_lost, "the connection is no longer usable");
  if (PQtransactionStatus(handle_.get()) == PQTRANS_ACTIVE) {
    return failure(Errc::invalid,
                   "an earlier statement or COPY of this connection is not finished");
  }
  return {};
}

Task<Result<void>> LibpqConnection::perform(StartedStep& work, Instant deadline) {
  if (scheduler_.now() >= deadline) co_return failure(too_late_to_send());
  Result<void> begun = check_idle();
  if (begun) begun = work.start();
  if (!begun) co_return begun;
  needs_reset_ = true;
  co_return co_await drive(work, deadline);
}

Result<void> LibpqConnection::perform_blocking(std::string_view sql, StartedStep& work,
                                               Duration timeout) {
  if (scheduler_.is_current_thread()) {
    return failure(Errc::invalid,
                   fmt::format("the statement \"{}\" in its blocking form on the runtime's own "
                               "thread, which must never wait; co_await it there",
                               sql.substr(0, kShownOfStatement)));
  }
  if (timeout <= Duration::zero()) return failure(too_late_to_send());
  const Instant deadline = deadline_after(scheduler_.now(), timeout);
  Result<void> begun = check_idle();
  if (begun) begun = work.start();
  if (!begun) return begun;
  needs_reset_ = true;
  return drive_blocking(work, deadline);
}

template <class T>
Result<T> LibpqConnection::finish(Result<T> outcome) {
  if (!outcome) {
    const Error& error = outcome.error();
    const SqlMeaning meaning = meaning_of(error.sqlstate(), error.text(), SqlPhase::statement);
    if (error.code() == Errc::connection_lost || is_fatal_for_connection(meaning))
      is_broken_ = true;
  }
  return outcome;
}

Result<std::uint64_t> LibpqConnection::finish_copy(CopyRun& copy) {
  // What a source or sink says is about its own affairs, even if it speaks of a lost connection.
  return copy.is_refused() ? copy.take() : finish(copy.take());
}

Error LibpqConnection::give_up(Error error) {
  is_broken_ = true;
  if (error.code() != Errc::timed_out) return error;
  const bool can_cancel = cancel_key_ && profile_.can_cancel;
  needs_cancel_ = can_cancel && PQstatus(handle_.get()) == CONNECTION_OK;
  return timed_out();
}

Task<Result<void>> LibpqConnection::drive(LibpqStep& step, Instant deadline) {
  for (;;) {
    const Need need = step.advance();
    if (need == Need::nothing) co_return Result<void>();
    const Result<void> waited = co_await socket_->wait(readiness(need), deadline);
    if (!waited) co_return failure(give_up(waited.error()));
  }
}

Result<void> LibpqConnection::drive_blocking(LibpqStep& step, Instant deadline) {
  for (;;) {
    const Need need = step.advance();
    if (need == Need::nothing) return {};
    const Duration left = deadline - scheduler_.now();
    if (left <= Duration::zero()) return failure(give_up(timed_out()));
    pollfd waiting{};
    waiting.fd = PQsocket(handle_.get());
    waiting.events = poll_events(need);
    // Zero (an hour or the deadline has passed) and EINTR both mean: look again.
    if (::poll(&waiting, 1, poll_milliseconds(left)) < 0 && errno != EINTR) {
      return failure(
          give_up(Error(Errc::connection_lost, fmt::format("poll: {}", std::strerror(errno)))));
    }
  }
}

Task<Result<QueryResult>> LibpqConnection::run(std::string sql, Instant deadline) {
  StatementRun run(handle_.get());
  const Parameters none;
  Result<void> begun = check_idle();
  if (begun) begun = run.start(sql, none);
  if (!begun) co_return failure(begun.error());
  const Result<void> driven = co_await drive(run, deadline);
  if (!driven) co_return failure(driven.error());
  co_return finish(run.take());
}

Task<Result<void>> LibpqConnection::tell(NoticeSettings settings, ServerNotice known,
                                         Instant deadline) {
  const Result<QueryResult> told = co_await run(settings.statement(), deadline);
  socket_->unwatch();
  if (!told && !is_usable()) co_return failure(told.error());
  if (!told || told->rows() == 0) co_return Result<void>();
  profile_.session_statement = settings.statement();
  if (settings.is_complete() && told->rows() == settings.count()) notice_ = known;
  co_return Result<void>();
}

Task<Result<void>> LibpqConnection::reset(Instant deadline) {
  if (!is_usable()) co_return failure(Errc::connection_lost, "the connection is no longer usable");
  if (!reset_) reset_ = std::make_unique<SessionReset>(handle_.get(), profile_);
  const Result<void> driven = co_await drive(*reset_, deadline);
  const std::unique_ptr<SessionReset> work = std::move(reset_);
  if (!driven) co_return failure(driven.error());
  socket_->unwatch();
  co_return finish_reset(*work);
}

// The first call sends, and a later one finds the answer, or the loop does when it comes to look.
void LibpqConnection::begin_reset() noexcept {
  if (!is_usable()) return;
  if (!reset_) reset_ = std::make_unique<SessionReset>(handle_.get(), profile_);
  if (reset_->advance() != Need::nothing) return;
  const std::unique_ptr<SessionReset> work = std::move(reset_);
  static_cast<void>(finish_reset(*work));  // after a failure it is not usable
}

Result<void> LibpqConnection::finish_reset(SessionReset& work) {
  Result<void> outcome = work.take();
  if (!outcome) return failure(give_up(outcome.error()));
  forget_client_state();
  prepared_.clear();  // every profile's reset drops them on the server
  needs_reset_ = false;
  return outcome;
}

// The session may be used again only if the cancel is over and has met its statement. One that came
// too late for it may, behind a pooler, still be on its way to whatever is sent next.
Task<Result<void>> LibpqConnection::cancel(Instant deadline) {
  needs_cancel_ = false;
  CancelRequest request(socket_->watcher(), socket_->descriptor(), *cancel_key_);
  const Result<void> requested = co_await request.run(deadline);
  if (!requested && requested.error().code() == Errc::timed_out)
    co_return failure(Errc::timed_out, "a statement ran into its deadline, and so did its cancel");
  if (!requested) co_return requested;
  PQsetnonblocking(handle_.get(), 1);
  LeftoverDrain drain(handle_.get());
  const Result<void> drained = co_await drive(drain, deadline);
  needs_cancel_ = false;
  socket_->unwatch();
  if (!drained) co_return drained;
  const bool is_idle = PQstatus(handle_.get()) == CONNECTION_OK &&
                       PQtransactionStatus(handle_.get()) != PQTRANS_ACTIVE;
  if (!is_idle || !drain.has_met_cancel()) {
    co_return failure(Errc::connection_lost, "the statement had ended when its cancel came");
  }
  is_broken_ = false;
  co_return Result<void>();
}

// Everything in libpq's memory that a user can change through native().
void LibpqConnection::forget_client_state() {
  pg_conn* connection = handle_.get();
  PQsetnonblocking(connection, 1);
  ignore_notices(connection);
  PQsetErrorVerbosity(connection, PQERRORS_DEFAULT);
  PQsetErrorContextVisibility(connection, PQSHOW_CONTEXT_ERRORS);
  PQuntrace(connection);
  while (PGnotify* notification = PQnotifies(connection)) PQfreemem(notification);
}

Task<Result<void>> LibpqConnection::check(Instant deadline) {
  const Result<QueryResult> answered = co_await run(profile_.check_statement, deadline);
  if (!answered) co_return failure(give_up(answered.error()));
  co_return Result<void>();
}

Task<bool> LibpqConnection::close(Instant deadline) {
  if (!socket_) co_return true;
  is_broken_ = true;
  needs_cancel_ = false;
  reset_.reset();
  if (handle_) {
    if (is_lost_in_silence(handle_.get())) socket_->note_silence();
    PQsetnonblocking(handle_.get(), 1);  // PQfinish must not wait for a full socket
    handle_.reset();
  }
  const bool is_gone = co_await socket_->see_off(scheduler_, notice_, deadline);
  if (is_gone) socket_.reset();
  co_return is_gone;
}

}  // namespace forebay::postgres
