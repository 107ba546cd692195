// Waiting is all that differs between the two forms of each thing; everything else is shared.
#include "forebay/postgres/driver/libpq_connection.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "forebay/base/misuse.hpp"
#include "forebay/env/loop_group.hpp"
#include "forebay/postgres/driver/cancel_request.hpp"
#include "forebay/postgres/driver/connection_parts.hpp"
#include "forebay/postgres/driver/exec_run.hpp"
#include "forebay/postgres/driver/libpq_error.hpp"
#include "forebay/postgres/driver/libpq_step.hpp"
#include "forebay/postgres/driver/notice_settings.hpp"
#include "forebay/postgres/driver/server_answer.hpp"
#include "forebay/postgres/driver/session_reset.hpp"

namespace forebay::postgres {
namespace {

Readiness readiness(Need need) {
  return need == Need::readable ? Readiness::readable : Readiness::either;
}

constexpr std::size_t kShownOfStatement = 60;

Error timed_out() {
  return Error(Errc::timed_out, "the server did not answer before the deadline");
}

Error too_late_to_send() {
  return Error(Errc::timed_out, "the deadline had passed before the statement was sent");
}

Error cancelled() {
  return Error(Errc::cancelled,
               "the statement was cancelled before the server answered, and may have been applied");
}

Error cancelled_in_time() {
  return Error(Errc::cancelled, "the statement was cancelled before it was sent");
}

}  // namespace

LibpqConnection::LibpqConnection(Scheduler& scheduler, LibpqHandle handle,
                                 std::unique_ptr<SessionSocket> socket,
                                 const ServerProfile& profile)
    : scheduler_(scheduler),
      parts_(std::make_unique<Parts>(std::move(socket), profile)),
      handle_(std::move(handle)) {
  parts_->is_encrypted = PQsslInUse(handle_.get()) == 1 || PQgssEncInUse(handle_.get()) == 1;
  forget_client_state();
  parts_->socket->unwatch();
}

LibpqConnection::~LibpqConnection() {
  if (!parts_->process.is_in_child()) {
    static_cast<void>(libpq());  // which says goodbye, and must not wait for a full socket
    return;
  }
  // The session goes on in the parent: no goodbye, and no word to the loop, which both share.
  static_cast<void>(handle_.release());
  static_cast<void>(parts_->socket.release());
}

void LibpqConnection::set_options(const SessionOptions& options) {
  parts_->statements.emplace(options);
}

void LibpqConnection::set_observation(const Observation& observation) {
  parts_->observation = observation;
}

void LibpqConnection::set_call_timeout(Duration timeout) { parts_->call_timeout = timeout; }

Duration LibpqConnection::call_timeout() const { return parts_->call_timeout; }

Until LibpqConnection::call_deadline() const {
  return deadline_after(scheduler_.now(), parts_->call_timeout);
}

void LibpqConnection::set_cancel_key(const CancelKey& key) { parts_->cancel_key = key; }

void LibpqConnection::set_notice(const ServerNotice& notice) { parts_->notice = notice; }

const ServerNotice& LibpqConnection::notice() const { return parts_->notice; }

Task<Result<QueryResult>> LibpqConnection::exec(Statement statement, Parameters parameters,
                                                Until until) {
  if (is_begin_pending()) {
    co_return co_await exec_together(std::move(statement), std::move(parameters), until);
  }
  ExecRun run(handle_.get(), dialogue(), *parts_->statements, statement, parameters);
  if (run.can_prepare_on_the_way()) {
    co_return co_await exec_together(std::move(statement), std::move(parameters), until);
  }
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, until.trace_context(), statement.sql());
  // What perform() does, without a frame of its own.
  refuse_without_loan();
  const Use use(*this);
  Result<void> performed = in_time_to_send(until);
  if (performed && parts_->has_abandoned_rows) performed = co_await settle(until);
  if (performed) performed = begin(run, run.leftovers());
  Need need = performed ? run.advance() : Need::nothing;
  while (need != Need::nothing) {
    const Result<void> waited = co_await parts_->socket->wait(readiness(need), until);
    if (!waited) performed = failure(give_up(waited.error()));
    need = waited ? run.advance() : Need::nothing;
  }
  if (performed) end_use();
  co_return span.ended(performed ? finish(run.take()) : failed<QueryResult>(performed));
}

Result<QueryResult> LibpqConnection::exec_blocking_until(const Statement& statement,
                                                         const Parameters& parameters,
                                                         Instant deadline) {
  if (is_begin_pending()) return exec_together_blocking(statement, parameters, deadline);
  ExecRun run(handle_.get(), dialogue(), *parts_->statements, statement, parameters);
  if (run.can_prepare_on_the_way()) return exec_together_blocking(statement, parameters, deadline);
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, TraceScope::current(), statement.sql());
  const Result<void> performed = perform_blocking(statement.sql(), run, run.leftovers(), deadline);
  return span.ended(performed ? finish(run.take()) : failed<QueryResult>(performed));
}

Result<QueryResult> LibpqConnection::exec_blocking(const Statement& statement,
                                                   const Parameters& parameters, Duration timeout) {
  return exec_blocking_until(statement, parameters, deadline_after(scheduler_.now(), timeout));
}

wire::Leftovers LibpqConnection::left_by(const std::string& sql) {
  return parts_->statements->use(sql).reading.leftovers;
}

void LibpqConnection::begin_use(wire::Leftovers leftovers) {
  session_ = Session::used;
  parts_->leftovers.add(leftovers);
  parts_->dialogue.forget_failure();
}

// A reset is needed for what the statements may have left, and for what has not ended.
void LibpqConnection::end_use() {
  if (parts_->dialogue.is_spent()) is_broken_ = true;
  const StatementCache& statements = *parts_->statements;
  const ResetMode mode = statements.options().reset;
  const bool may_be_dirty = mode == ResetMode::smart && !parts_->leftovers.empty();
  const bool needs_reset = mode == ResetMode::always || may_be_dirty || parts_->is_shown_raw ||
                           PQtransactionStatus(handle_.get()) != PQTRANS_IDLE ||
                           statements.has_many_stale();
  session_ = needs_reset ? Session::used : Session::clean;
}

TransactionState LibpqConnection::transaction_state() const {
  if (parts_->has_abandoned_rows && handle_ && PQstatus(handle_.get()) == CONNECTION_OK)
    return TransactionState::busy;
  if (!is_usable()) return TransactionState::lost;
  if (parts_->dialogue.is_underway()) return TransactionState::busy;
  switch (PQtransactionStatus(handle_.get())) {
    case PQTRANS_IDLE: return TransactionState::none;
    case PQTRANS_INTRANS:
      return parts_->dialogue.has_failed_transaction() ? TransactionState::failed
                                                       : TransactionState::open;
    case PQTRANS_INERROR: return TransactionState::failed;
    case PQTRANS_ACTIVE: return TransactionState::busy;
    default: return TransactionState::lost;
  }
}

bool LibpqConnection::is_usable() const noexcept {
  return handle_ && !is_broken_ && PQstatus(handle_.get()) == CONNECTION_OK;
}

Result<void> LibpqConnection::check_idle() const {
  if (parts_->process.is_in_child()) return failure(Errc::closed, kUsedAfterFork);
  if (!is_usable()) return failure(Errc::connection_lost, "the connection is no longer usable");
  if (parts_->is_streaming) {
    return failure(Errc::invalid,
                   "rows of this connection are still being streamed; read them to the end, "
                   "close() the stream or let it go before the next statement");
  }
  if (is_answering()) {
    return failure(Errc::invalid,
                   "an earlier statement or COPY of this connection is not finished");
  }
  return {};
}

// A reference to the connection was kept, and the session behind it is the next user's by now.
void LibpqConnection::refuse_without_loan() const {
  if (is_held() || parts_->process.is_in_child()) return;
  stop_for_misuse(
      "a connection was used after its session had been given back; hold the session for as long "
      "as anything uses its connection, and acquire another one afterwards");
}

Task<Result<void>> LibpqConnection::perform(StartedStep& work, wire::Leftovers leftovers,
                                            Until until) {
  refuse_without_loan();
  const Use use(*this);
  Result<void> begun = in_time_to_send(until);
  if (begun && parts_->has_abandoned_rows) begun = co_await settle(until);
  if (begun) begun = begin(work, leftovers);
  if (!begun) co_return begun;
  // What drive() does, without a frame of its own.
  for (Need need = work.advance(); need != Need::nothing; need = work.advance()) {
    const Result<void> waited = co_await parts_->socket->wait(readiness(need), until);
    if (!waited) co_return failure(give_up(waited.error()));
  }
  end_use();
  co_return Result<void>();
}

Result<void> LibpqConnection::in_time_to_send(const Until& until) const {
  if (until.is_cancelled()) return failure(cancelled_in_time());
  if (scheduler_.has_passed(until.deadline())) return failure(too_late_to_send());
  return {};
}

Result<void> LibpqConnection::begin(StartedStep& work, wire::Leftovers leftovers) {
  Result<void> begun = check_idle();
  if (begun) begun = work.start();
  if (begun) begin_use(leftovers);
  return begun;
}

Result<void> LibpqConnection::perform_blocking(std::string_view sql, StartedStep& work,
                                               wire::Leftovers leftovers, Instant deadline) {
  refuse_without_loan();
  const Use use(*this);
  if (is_on_loop(scheduler_)) {
    return failure(Errc::invalid,
                   fmt::format("the statement \"{}\" in its blocking form on the runtime's own "
                               "thread, which must never wait; co_await it there",
                               sql.substr(0, kShownOfStatement)));
  }
  if (scheduler_.has_passed(deadline)) return failure(too_late_to_send());
  Result<void> begun;
  if (parts_->has_abandoned_rows) begun = settle_blocking(time_until(deadline));
  if (begun) begun = check_idle();
  if (!begun) return begun;
  parts_->socket->unwatch();  // before anything can be answered: the loop has nothing to do with it
  begun = work.start();
  if (!begun) return begun;
  begin_use(leftovers);
  Result<void> driven = drive_blocking(work, deadline);
  if (driven) end_use();
  return driven;
}

void LibpqConnection::note_failure(const Error& error) {
  if (ends_session(error, parts_->profile.rechecks_identity)) is_broken_ = true;
}

Error LibpqConnection::give_up(Error error) {
  is_broken_ = true;
  const bool is_cancelled = error.code() == Errc::cancelled;
  if (error.code() != Errc::timed_out && !is_cancelled) return error;
  const bool can_cancel = parts_->cancel_key && parts_->profile.can_cancel;
  needs_cancel_ = can_cancel && PQstatus(handle_.get()) == CONNECTION_OK;
  return is_cancelled ? cancelled() : timed_out();
}

Task<Result<void>> LibpqConnection::drive(LibpqStep& step, Until until) {
  for (;;) {
    const Need need = step.advance();
    if (need == Need::nothing) co_return Result<void>();
    const Result<void> waited = co_await parts_->socket->wait(readiness(need), until);
    if (!waited) co_return failure(give_up(waited.error()));
  }
}

Result<void> LibpqConnection::drive_blocking(LibpqStep& step, Instant deadline) {
  for (;;) {
    const Need need = step.advance();
    if (need == Need::nothing) return {};
    // By the cheaper clock there is at least so much; the exact one is asked near the end.
    Duration left = deadline - scheduler_.recent_now() - Scheduler::kRecentLag;
    if (left <= Duration::zero()) left = deadline - scheduler_.now();
    if (left <= Duration::zero()) return failure(give_up(timed_out()));
    const Result<void> waited = wait_blocking(need, left);
    if (!waited) return failure(give_up(waited.error()));
  }
}

Task<Result<QueryResult>> LibpqConnection::run(std::string sql, Instant deadline) {
  StatementRun run(libpq());
  const Parameters none;
  Result<void> begun = check_idle();
  if (begun) begun = run.start(sql, none);
  if (!begun) co_return failure(begun.error());
  const Result<void> driven = co_await drive(run, deadline);
  if (!driven) co_return failure(driven.error());
  co_return finish(run.take());
}

Task<Result<void>> LibpqConnection::set_notice_settings(NoticeSettings settings, ServerNotice known,
                                                        Instant deadline) {
  const Result<QueryResult> told = co_await run(settings.statement(), deadline);
  parts_->socket->unwatch();
  if (!told && !is_usable()) co_return failure(told.error());
  if (!told || told->rows() == 0) co_return Result<void>();
  parts_->profile.session_statement = settings.statement();
  if (settings.is_complete() && told->rows() == settings.count()) parts_->notice = known;
  co_return Result<void>();
}

void LibpqConnection::make_reset() {
  if (reset_) return;
  const StatementCache& statements = *parts_->statements;
  wire::Leftovers leftovers;
  switch (statements.options().reset) {
    case ResetMode::smart: leftovers = parts_->leftovers; break;
    case ResetMode::always: leftovers.add(wire::Leftover::everything); break;
    case ResetMode::never: break;
  }
  // What the application's hook does again must not meet what it left before.
  if (is_prepared_ && !leftovers.empty()) leftovers.add(wire::Leftover::everything);
  std::vector<std::string> stale = statements.stale();
  if (!stale.empty() && !parts_->profile.can_drop_one_prepared) {
    leftovers.add(wire::Leftover::prepared);
  }
  reset_ = std::make_unique<SessionReset>(libpq(), parts_->profile,
                                          ResetPlan(leftovers, std::move(stale)));
}

Task<Result<void>> LibpqConnection::reset(Instant deadline) {
  if (!is_usable()) co_return failure(Errc::connection_lost, "the connection is no longer usable");
  if (session_ == Session::cleared) co_return Result<void>();
  make_reset();
  const Result<void> driven = co_await drive(*reset_, deadline);
  const std::unique_ptr<SessionReset> work = std::move(reset_);
  if (!driven) co_return failure(driven.error());
  co_return finish_reset(*work);
}

// The first call sends, and a later one finds the answer, or the loop does when it comes to look.
void LibpqConnection::begin_reset() noexcept {
  if (!is_usable() || session_ == Session::cleared) return;
  make_reset();
  if (reset_->advance() != Need::nothing) return;
  const std::unique_ptr<SessionReset> work = std::move(reset_);
  static_cast<void>(finish_reset(*work));  // after a failure it is not usable
}

Result<void> LibpqConnection::finish_reset(SessionReset& work) {
  Result<void> outcome = work.take();
  if (!outcome) return failure(give_up(outcome.error()));
  forget_client_state();
  if (parts_->statements->options().reset == ResetMode::never && may_hear_unasked())
    parts_->hears_unasked = true;  // nothing of that was undone
  parts_->is_shown_raw = false;
  if (work.drops_prepared()) {
    parts_->statements->note_all_dropped();
  } else {
    parts_->statements->note_stale_dropped();
  }
  parts_->leftovers = {};
  parts_->dialogue.forget_failure();
  const bool undid_something = !work.leftovers().empty();
  session_ = is_prepared_ && undid_something ? Session::cleared : Session::clean;
  return outcome;
}

Result<void> LibpqConnection::mark_prepared() {
  const TransactionState state = transaction_state();
  if (state == TransactionState::lost)
    return failure(Errc::connection_lost, "the connection was lost while after_connect used it");
  if (state != TransactionState::none) {
    return failure(Errc::invalid,
                   "after_connect left a transaction, a statement or a COPY open; end it there");
  }
  is_prepared_ = true;
  if (may_hear_unasked()) parts_->hears_unasked = true;
  parts_->leftovers = {};
  parts_->is_shown_raw = false;
  session_ = Session::clean;
  return {};
}

// The session may be used again only if the cancel is over and has met its statement. One that came
// too late for it may, behind a pooler, still be on its way to whatever is sent next.
Task<Result<void>> LibpqConnection::cancel(Instant deadline) {
  needs_cancel_ = false;
  if (parts_->has_abandoned_rows) {
    const bool is_settled = co_await settle_soon(deadline);
    if (is_settled) co_return Result<void>();
    needs_cancel_ = false;
  }
  CancelRequest request(parts_->socket->watcher(), parts_->socket->descriptor(),
                        *parts_->cancel_key);
  const Result<void> requested = co_await request.run(deadline);
  if (!requested && requested.error().code() == Errc::timed_out)
    co_return failure(Errc::timed_out, "the cancel of a statement ran into its deadline");
  if (!requested) co_return requested;
  const Result<bool> met = co_await drain_cancelled(deadline);
  needs_cancel_ = false;
  if (!met) co_return failure(met.error());
  const bool is_idle = PQstatus(handle_.get()) == CONNECTION_OK && !is_answering();
  if (!is_idle || !*met || parts_->dialogue.is_spent()) {
    co_return failure(Errc::connection_lost, "the statement had ended when its cancel came");
  }
  is_broken_ = false;
  parts_->has_abandoned_rows = false;
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
  const Result<QueryResult> answered = co_await run(parts_->profile.check_statement, deadline);
  if (!answered) co_return failure(give_up(answered.error()));
  co_return Result<void>();
}

Task<bool> LibpqConnection::close(Instant deadline) {
  if (!parts_->socket) co_return true;
  is_broken_ = true;
  needs_cancel_ = false;
  reset_.reset();
  if (handle_) {
    const bool is_silent =
        parts_->dialogue.is_lost_in_silence() || is_lost_in_silence(handle_.get());
    if (is_silent) parts_->socket->note_silence();
    PQsetnonblocking(libpq(), 1);  // PQfinish must not wait for a full socket
    handle_.reset();
  }
  const bool is_gone =
      co_await parts_->socket->wait_until_gone(here(scheduler_), parts_->notice, deadline);
  if (is_gone) parts_->socket.reset();
  co_return is_gone;
}

}  // namespace forebay::postgres
