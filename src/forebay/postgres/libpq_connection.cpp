// Waiting is all that differs between the two forms of exec; everything else is shared.
#include "forebay/postgres/libpq_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include "forebay/postgres/libpq_error.hpp"
#include "forebay/postgres/session_reset.hpp"
#include "forebay/postgres/sqlstate.hpp"

namespace forebay::postgres {
namespace {

Readiness readiness(Need need) {
  return need == Need::readable ? Readiness::readable : Readiness::writable;
}

int poll_milliseconds(Duration left) {
  static constexpr Duration kLongest = std::chrono::hours(1);  // poll() counts in an int
  return static_cast<int>(
      std::chrono::ceil<std::chrono::milliseconds>(std::min(left, kLongest)).count());
}

Error timed_out() {
  return Error(Errc::timed_out, "the server did not answer before the deadline");
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

LibpqConnection::~LibpqConnection() = default;

Task<Result<QueryResult>> LibpqConnection::exec(std::string sql, Parameters parameters,
                                                Instant deadline) {
  if (scheduler_.now() >= deadline) co_return failure(timed_out());  // nothing sent, nothing broken
  StatementRun run(handle_.get());
  const Result<void> begun = begin(run, sql, parameters);
  if (!begun) co_return failure(begun.error());
  needs_reset_ = true;
  const Result<void> driven = co_await drive(run, deadline);
  if (!driven) co_return failure(driven.error());
  co_return finish(run);
}

Task<Result<QueryResult>> LibpqConnection::exec(std::string sql, Instant deadline) {
  return exec(std::move(sql), Parameters(), deadline);
}

Result<QueryResult> LibpqConnection::exec_blocking(const std::string& sql,
                                                   const Parameters& parameters, Duration timeout) {
  if (timeout <= Duration::zero()) return failure(timed_out());
  const Instant deadline = deadline_after(scheduler_.now(), timeout);
  StatementRun run(handle_.get());
  const Result<void> begun = begin(run, sql, parameters);
  if (!begun) return failure(begun.error());
  needs_reset_ = true;
  const Result<void> driven = drive_blocking(run, deadline);
  if (!driven) return failure(driven.error());
  return finish(run);
}

Result<QueryResult> LibpqConnection::exec_blocking(const std::string& sql, Duration timeout) {
  return exec_blocking(sql, Parameters(), timeout);
}

pg_conn* LibpqConnection::native() {
  needs_reset_ = true;
  return handle_.get();
}

bool LibpqConnection::is_usable() const noexcept {
  return handle_ && !is_broken_ && PQstatus(handle_.get()) == CONNECTION_OK;
}

Result<void> LibpqConnection::begin(StatementRun& run, const std::string& sql,
                                    const Parameters& parameters) const {
  if (!is_usable()) return failure(Errc::connection_lost, "the connection is no longer usable");
  if (PQtransactionStatus(handle_.get()) == PQTRANS_ACTIVE) {
    return failure(Errc::invalid,
                   "an earlier statement or COPY of this connection is not finished");
  }
  return run.start(sql, parameters);
}

Result<QueryResult> LibpqConnection::finish(StatementRun& run) {
  Result<QueryResult> result = run.take();
  if (!result) {
    const Error& error = result.error();
    const SqlMeaning meaning = meaning_of(error.sqlstate(), error.text(), SqlPhase::statement);
    if (error.code() == Errc::connection_lost || is_fatal_for_connection(meaning))
      is_broken_ = true;
  }
  return result;
}

Error LibpqConnection::give_up(Error error) {
  is_broken_ = true;
  return error.code() == Errc::timed_out ? timed_out() : error;
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
    waiting.events = need == Need::readable ? POLLIN : POLLOUT;
    // Zero (an hour or the deadline has passed) and EINTR both mean: look again.
    if (::poll(&waiting, 1, poll_milliseconds(left)) < 0 && errno != EINTR) {
      return failure(
          give_up(Error(Errc::connection_lost, fmt::format("poll: {}", std::strerror(errno)))));
    }
  }
}

Task<Result<void>> LibpqConnection::run(std::string sql, Instant deadline) {
  StatementRun run(handle_.get());
  const Parameters none;
  const Result<void> begun = begin(run, sql, none);
  if (!begun) co_return failure(begun.error());
  const Result<void> driven = co_await drive(run, deadline);
  if (!driven) co_return failure(driven.error());
  const Result<QueryResult> result = finish(run);
  if (!result) co_return failure(result.error());
  co_return Result<void>();
}

Task<Result<void>> LibpqConnection::reset(Instant deadline) {
  if (!is_usable()) co_return failure(Errc::connection_lost, "the connection is no longer usable");
  SessionReset work(handle_.get(), profile_);
  const Result<void> driven = co_await drive(work, deadline);
  if (!driven) co_return failure(driven.error());
  socket_->unwatch();
  co_return finish_reset(work);
}

Result<void> LibpqConnection::reset_blocking(Duration timeout) {
  if (!is_usable()) return failure(Errc::connection_lost, "the connection is no longer usable");
  SessionReset work(handle_.get(), profile_);
  const Result<void> driven = drive_blocking(work, deadline_after(scheduler_.now(), timeout));
  if (!driven) return failure(driven.error());
  return finish_reset(work);
}

Result<void> LibpqConnection::finish_reset(SessionReset& work) {
  Result<void> outcome = work.take();
  if (!outcome) return failure(give_up(outcome.error()));
  forget_client_state();
  needs_reset_ = false;
  return outcome;
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
  Result<void> answered = co_await run(profile_.check_statement, deadline);
  if (!answered) co_return failure(give_up(answered.error()));
  co_return answered;
}

Task<void> LibpqConnection::close(Instant deadline) {
  if (!handle_) co_return;
  is_broken_ = true;
  PQsetnonblocking(handle_.get(), 1);  // PQfinish must not wait for a full socket
  handle_.reset();
  co_await socket_->see_off(deadline);
  socket_.reset();
}

}  // namespace forebay::postgres
