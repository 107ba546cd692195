#include "forebay/detail/postgres/transaction/transaction_run.hpp"

#include <fmt/format.h>

#include "forebay/postgres/transaction/commit_failure.hpp"

namespace forebay::postgres {
namespace {

constexpr std::string_view kInFailedTransaction = "25P02";

using Commit = Transaction::Commit;

// Whatever the body's error: it must not be run again.
Error after_commit(const Error& body_error) {
  return Error(Errc::invalid,
               fmt::format("the body returned an error after it had committed, and what it did "
                           "stays ({}: {})",
                           name(body_error.code()), body_error.text()));
}

constexpr std::string_view kEndedByItself =
    "the body ended the transaction by itself, so what it did after that was outside of it; let it "
    "return an error to roll back, or a value to commit";

}  // namespace

Task<Result<void>> TransactionRun::begin(int attempt) {
  Result<PooledSession> session = co_await sessions_.acquire(until(), from_);
  if (!session) co_return failure(session.error());
  take(std::move(*session), attempt);
  co_return Result<void>();
}

Result<void> TransactionRun::begin_blocking(int attempt) {
  const Duration left =
      deadline_ == kNever ? Duration::max() : deadline_ - sessions_.env().scheduler.now();
  Result<PooledSession> session = sessions_.acquire_blocking(left, from_);
  if (!session) return failure(session.error());
  take(std::move(*session), attempt);
  return {};
}

void TransactionRun::take(PooledSession session, int attempt) {
  session_.emplace(std::move(session));
  transaction_.emplace(**session_, options_, until(), attempt);
}

Task<Result<void>> TransactionRun::commit() {
  Result<void> outcome = co_await (*session_)->settle(until());
  if (outcome) outcome = ready_to_commit();
  if (outcome && must_commit()) {
    const Result<QueryResult> answer = co_await (*session_)->exec("COMMIT", until());
    outcome = outcome_of(answer);
  }
  co_await roll_back();
  co_return outcome;
}

Result<void> TransactionRun::commit_blocking() {
  Result<void> outcome = (*session_)->settle_blocking(transaction_->time_left());
  if (outcome) outcome = ready_to_commit();
  if (outcome && must_commit()) {
    outcome = outcome_of((*session_)->exec_blocking("COMMIT", transaction_->time_left()));
  }
  roll_back_blocking();
  return outcome;
}

// After COMMIT there is mostly nothing left to roll back. Without an answer to ROLLBACK the session
// is not usable, or still in its transaction; the pool knows what to do about either.
Task<void> TransactionRun::roll_back() {
  if (must_roll_back()) {
    const Result<QueryResult> ignored =
        co_await (*session_)->exec("ROLLBACK", Until(deadline_).traced(options_.trace_context));
  }
  let_go();
}

void TransactionRun::roll_back_blocking() {
  if (must_roll_back()) {
    const Result<QueryResult> ignored =
        (*session_)->exec_blocking("ROLLBACK", transaction_->time_left());
  }
  let_go();
}

bool TransactionRun::must_commit() const {
  return transaction_->commit_state() == Commit::not_sent && !(*session_)->is_begin_pending();
}

bool TransactionRun::must_roll_back() const {
  if (!session_) return false;
  const TransactionState state = (*session_)->transaction_state();
  return state == TransactionState::open || state == TransactionState::failed;
}

// A COPY that its body left open could take as long as it likes to drain: another session is
// sooner there. Rows that it left unread are cancelled by the pool. A session whose outcome is
// unknown is not trusted with anything else.
void TransactionRun::let_go() {
  const bool is_unknown = transaction_ && transaction_->commit_state() == Commit::unknown;
  if (session_) {
    (*session_)->forget_begin();
    const bool is_busy = (*session_)->transaction_state() == TransactionState::busy;
    if (is_busy && !(*session_)->needs_cancel()) {
      session_->discard();
    } else if (is_unknown) {
      session_->mark_broken();
    }
  }
  transaction_.reset();
  session_.reset();
}

bool TransactionRun::has_ended_by_itself() const {
  const bool has_begun = !(*session_)->is_begin_pending();
  return (has_begun && (*session_)->transaction_state() == TransactionState::none) ||
         transaction_->was_outside_transaction();
}

bool TransactionRun::was_refused_to_begin() const {
  const std::optional<Error> error = transaction_->first_error();
  return error && error->code() == Errc::statement_failed;
}

Result<void> TransactionRun::ready_to_commit() const {
  switch (transaction_->commit_state()) {
    case Commit::not_sent: break;
    case Commit::done: return {};
    case Commit::refused:
    case Commit::unknown: return failure(transaction_->commit_error());
  }
  if (has_ended_by_itself()) return failure(Errc::invalid, std::string(kEndedByItself));
  switch ((*session_)->transaction_state()) {
    case TransactionState::open: return {};
    case TransactionState::failed: return failure(swallowed_failure());
    case TransactionState::busy:
      return failure(Errc::invalid,
                     "the body left a statement or COPY unfinished; nothing was committed");
    case TransactionState::none:
      if (!was_refused_to_begin()) return {};  // the server was asked for nothing
      break;
    case TransactionState::lost: break;
  }
  return failure(transaction_->first_error().value_or(
      Error(Errc::connection_lost, "the connection was lost before COMMIT; nothing was applied")));
}

Result<void> TransactionRun::outcome_of(const Result<QueryResult>& answer) {
  if (answer) {
    // The last guard: a server that answers COMMIT with ROLLBACK has said before that the
    // transaction has failed, and then COMMIT was not sent.
    if (answer->command_tag() == "COMMIT") return {};
    return failure(swallowed_failure());
  }
  const CommitFailure judged = judge_commit(options_, **session_, answer.error());
  if (judged.is_unknown) {
    session_->mark_broken();
    session_.reset();
  }
  return failure(judged.error);
}

Error TransactionRun::cause_of(const Error& body_error) const {
  switch (transaction_->commit_state()) {
    case Commit::not_sent: break;
    case Commit::done: return after_commit(body_error);
    case Commit::refused:
    case Commit::unknown: return transaction_->commit_error();
  }
  // Whatever the error: a part of it may be committed, so it must not be run again.
  if (has_ended_by_itself()) {
    return Error(Errc::invalid, fmt::format("{} ({}: {})", kEndedByItself, name(body_error.code()),
                                            body_error.text()));
  }
  const bool is_hidden = body_error.sqlstate() == kInFailedTransaction;
  return is_hidden ? transaction_->first_error().value_or(body_error) : body_error;
}

// The body says that all is well, and the server that the transaction can only be rolled back.
Error TransactionRun::swallowed_failure() const {
  return transaction_->first_error().value_or(
      Error(Errc::statement_failed, ErrorClass::permanent,
            "a statement of the transaction failed, and its body went on regardless; the server "
            "has rolled everything back",
            std::string(kInFailedTransaction)));
}

}  // namespace forebay::postgres
