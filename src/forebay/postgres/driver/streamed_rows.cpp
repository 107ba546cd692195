// What a stream of rows does to its connection: while it lasts, at its end, and if nobody reads it
// to its end.
#include "forebay/detail/postgres/driver/streamed_rows.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "forebay/base/misuse.hpp"
#include "forebay/detail/postgres/brief_loan.hpp"
#include "forebay/env/loop_group.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/postgres/driver/connection_parts.hpp"
#include "forebay/postgres/driver/stream_run.hpp"

namespace forebay::postgres {
namespace {

// What the next statement reads of the rows that a reader left: less time than another session
// would take, and more than what is on its way where the server has sent everything.
constexpr std::size_t kMostSettledBytes = 8 * kTurnBytes;

// Of a small rest, a cancel would come too late, and cost the session.
constexpr Duration kSettlingTime = std::chrono::milliseconds(50);

Error left_early(std::uint64_t rows) {
  return Error(Errc::cancelled, fmt::format("its reader left; rows read: {}", rows));
}

}  // namespace

// At its end, whichever, it has let go of the connection.
class StreamedRows::State {
 public:
  State(LibpqConnection& connection, Statement statement, Parameters parameters, StreamLimit limit)
      : connection_(connection),
        statement_(std::move(statement)),
        parameters_(std::move(parameters)),
        limit_(std::move(limit)),
        run_(connection.libpq(), *connection.parts_->statements, statement_, parameters_),
        span_(connection.parts_->observation, connection.scheduler_) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (is_open_) abandon(left_early(run_.rows()));
  }

  StreamRun& run() { return run_; }
  LibpqConnection& connection() { return connection_; }
  const StreamLimit& limit() const { return limit_; }
  const std::string& sql() const { return statement_.sql(); }

  void begin(std::string_view trace_context) {
    if (!span_) return;
    trace_context_ = trace_context;
    span_.begin(ObservedStep::statement, trace_context_, statement_.sql());
  }
  // Its first row is there, or its end.
  Result<void> open(const Result<void>& performed) {
    if (!performed) {
      tell(&performed.error());
      return performed;
    }
    is_open_ = true;
    use_.emplace(connection_);
    connection_.parts_->is_streaming = true;
    is_first_ = !run_.is_over();
    const Result<bool> stepped = step({});
    if (!stepped) return failure(stepped.error());
    return {};
  }
  void keep(PooledSession session) {
    if (is_open_) loan_.emplace(std::move(session));  // else it goes back here
  }

  std::optional<Result<bool>> try_next() {
    if (std::exchange(is_first_, false)) return Result<bool>(true);
    if (!is_open_) return Result<bool>(false);
    if (const std::optional<Error> late = too_late()) {
      Error error = connection_.give_up(*late).with_text(late->text());
      finish(&error);
      return Result<bool>(failure(std::move(error)));
    }
    if (run_.advance() != Need::nothing) return std::nullopt;
    return step({});
  }
  // What the work has come to: it was driven to a row or the end, or could not be.
  Result<bool> step(const Result<void>& driven) {
    if (!driven) {
      const Error error = driven.error().with_text(
          fmt::format("{}; rows read: {}", driven.error().text(), run_.rows()));
      finish(&error);
      return failure(error);
    }
    if (!run_.is_over()) return true;
    connection_.end_use();
    if (!run_.error()) {
      finish(nullptr);
      return false;
    }
    Error error = *run_.error();
    connection_.note_failure(error);
    connection_.parts_->stream_failure = error;
    finish(&error);
    return failure(std::move(error));
  }

  // Giving back must not wait, so no more is read than what has come.
  void abandon(const Error& why) {
    if (!is_open_) return;
    if (!connection_.parts_->process.is_in_child()) {
      AbandonedRows rest(connection_.libpq(), kTurnBytes);
      rest.take_what_is_here();
      if (!connection_.note_rest(rest)) connection_.leave_rest();
    }
    const bool is_lost = !connection_.is_usable() && !connection_.needs_cancel();
    finish(&why, is_lost);
  }

 private:
  std::optional<Error> too_late() const {
    if (limit_.is_stopped()) {
      return Error(Errc::cancelled,
                   fmt::format("the stream was cancelled; rows read: {}", run_.rows()));
    }
    if (!limit_.has_passed(connection_.scheduler_.recent_now())) return std::nullopt;
    return Error(Errc::timed_out,
                 fmt::format("the deadline of the stream has passed; rows read: {}", run_.rows()));
  }
  void finish(const Error* error, bool is_useless = false) {
    is_open_ = false;
    is_first_ = false;
    connection_.parts_->is_streaming = false;
    use_.reset();
    tell(error);
    // A session that cannot be used again is no sign of trouble with the others.
    if (loan_ && is_useless) loan_->discard();
    loan_.reset();
  }
  void tell(const Error* error) {
    if (span_) span_.end(error);
  }

  LibpqConnection& connection_;
  const Statement statement_;
  const Parameters parameters_;
  const StreamLimit limit_;
  StreamRun run_;
  std::string trace_context_;
  ObservedSpan span_;
  bool is_open_ = false;
  bool is_first_ = false;  // the first row is there, and was not asked for yet
  std::optional<Connection::Use> use_;
  std::optional<PooledSession> loan_;
};

StreamedRows::StreamedRows(std::unique_ptr<State> state) : state_(std::move(state)) {}
StreamedRows::StreamedRows(StreamedRows&&) noexcept = default;
StreamedRows& StreamedRows::operator=(StreamedRows&&) noexcept = default;
StreamedRows::~StreamedRows() = default;

StreamedRows::State& StreamedRows::state() const {
  if (!state_) stop_for_misuse("a stream of rows was used after it had been moved away");
  return *state_;
}

std::optional<Result<bool>> StreamedRows::try_next() { return state().try_next(); }

Task<Result<bool>> StreamedRows::wait() {
  State& state = this->state();
  LibpqConnection& connection = state.connection();
  Scheduler& scheduler = here(connection.scheduler());
  const detail::HeardStop heard(scheduler, state.limit().wait_from(scheduler.now()),
                                state.limit().stop());
  const Result<void> driven = co_await connection.drive(state.run(), heard.until());
  co_return state.step(driven);
}

Result<bool> StreamedRows::wait_blocking() {
  State& state = this->state();
  LibpqConnection& connection = state.connection();
  Scheduler& scheduler = connection.scheduler();
  if (is_on_loop(scheduler)) {
    Error misuse(
        Errc::invalid,
        "rows were waited for in the blocking form on the runtime's own thread, which must "
        "never wait; co_await next() there");
    state.abandon(misuse);  // a loop over the rows comes to its end
    return failure(std::move(misuse));
  }
  // A thread that waits for a server hears nothing else, so a loop waits in its place.
  if (state.limit().stop().stop_possible()) return run_blocking(scheduler, wait());
  connection.parts_->socket->unwatch();
  const Instant deadline = state.limit().wait_from(scheduler.now()).deadline();
  return state.step(connection.drive_blocking(state.run(), deadline));
}

const QueryResult& StreamedRows::row() const { return state().run().row(); }

std::uint64_t StreamedRows::rows() const { return state().run().rows(); }

void StreamedRows::abandon(const Error& why) { state().abandon(why); }

Task<Result<void>> StreamedRows::close() {
  for (;;) {
    std::optional<Result<bool>> has_row = try_next();
    if (!has_row) {
      Result<bool> waited = co_await wait();
      has_row.emplace(std::move(waited));
    }
    if (!*has_row) co_return failure(has_row->error());
    if (!**has_row) co_return Result<void>();
  }
}

Result<void> StreamedRows::close_blocking() {
  for (;;) {
    std::optional<Result<bool>> has_row = try_next();
    if (!has_row) has_row.emplace(wait_blocking());
    if (!*has_row) return failure(has_row->error());
    if (!**has_row) return {};
  }
}

void StreamedRows::keep(PooledSession session) { state().keep(std::move(session)); }

Task<Result<StreamedRows>> LibpqConnection::open_rows(Statement statement, Parameters parameters,
                                                      Until first, StreamLimit limit) {
  const Result<void> begun = co_await begin_now(first);
  if (!begun) co_return failure(begun.error());
  auto state = std::make_unique<StreamedRows::State>(*this, std::move(statement),
                                                     std::move(parameters), std::move(limit));
  state->begin(first.trace_context());
  const Result<void> performed = co_await perform(state->run(), state->run().leftovers(), first);
  const Result<void> opened = state->open(performed);
  if (!opened) co_return failure(opened.error());
  co_return StreamedRows(std::move(state));
}

Result<StreamedRows> LibpqConnection::open_rows_blocking(const Statement& statement,
                                                         const Parameters& parameters,
                                                         StreamLimit limit) {
  const Instant deadline = limit.wait_from(scheduler_.now()).deadline();
  const Result<void> begun = begin_now_blocking(time_until(deadline));
  if (!begun) return failure(begun.error());
  auto state =
      std::make_unique<StreamedRows::State>(*this, statement, parameters, std::move(limit));
  state->begin(TraceScope::current());
  const Result<void> opened = state->open(
      perform_blocking(statement.sql(), state->run(), state->run().leftovers(), deadline));
  if (!opened) return failure(opened.error());
  return StreamedRows(std::move(state));
}

// The server is still at it. When the session is given back, the pool cancels that; the session's
// next statement tries to do without.
void LibpqConnection::leave_rest() {
  is_broken_ = true;
  parts_->has_abandoned_rows = PQstatus(handle_.get()) == CONNECTION_OK;
  const bool can_cancel = parts_->cancel_key && parts_->profile.can_cancel;
  needs_cancel_ = can_cancel && parts_->has_abandoned_rows;
}

// True: the rows are at their end.
bool LibpqConnection::note_rest(const AbandonedRows& rest) {
  if (!rest.is_at_end()) return false;
  end_use();
  if (rest.error()) {
    note_failure(*rest.error());
    parts_->stream_failure = rest.error();
  }
  return true;
}

Task<Result<void>> LibpqConnection::settle(Until until) {
  if (!parts_->has_abandoned_rows) co_return Result<void>();
  AbandonedRows rest(libpq(), kMostSettledBytes);
  const Result<void> driven = co_await drive(rest, until);
  if (!driven) co_return driven;
  co_return settled(rest);
}

Result<void> LibpqConnection::settle_blocking(Duration timeout) {
  if (!parts_->has_abandoned_rows) return {};
  const Instant deadline = deadline_after(scheduler_.now(), timeout);
  parts_->socket->unwatch();
  AbandonedRows rest(libpq(), kMostSettledBytes);
  Result<void> driven = drive_blocking(rest, deadline);
  if (!driven) return driven;
  return settled(rest);
}

Task<bool> LibpqConnection::settle_soon(Instant deadline) {
  const Instant soon = deadline_after(scheduler_.now(), kSettlingTime);
  const Result<void> outcome = co_await settle(std::min(soon, deadline));
  co_return outcome.has_value();
}

Result<void> LibpqConnection::settled(const AbandonedRows& rest) {
  if (!rest.is_at_end()) {
    return failure(Errc::invalid,
                   fmt::format("a stream of rows was let go before its end, and more than {} MiB "
                               "were still to come: close() it to read them, or give the session "
                               "back, and the statement is cancelled",
                               kMostSettledBytes / (1024 * 1024)));
  }
  is_broken_ = false;
  needs_cancel_ = false;
  parts_->has_abandoned_rows = false;
  static_cast<void>(note_rest(rest));
  return {};
}

std::optional<Error> LibpqConnection::stream_failure() const { return parts_->stream_failure; }

void LibpqConnection::forget_stream_failure() { parts_->stream_failure.reset(); }

}  // namespace forebay::postgres
