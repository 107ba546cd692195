#include "forebay/detail/postgres/transaction/transaction_run.hpp"

#include <fmt/format.h>

namespace forebay::postgres {
namespace {

constexpr std::string_view kInFailedTransaction = "25P02";

constexpr std::string_view kEndedByItself =
    "the body ended the transaction by itself, so what it did after that was outside of it; let it "
    "return an error to roll back, or a value to commit";

// True: the server has answered COMMIT with an error, and that error says that nothing was applied.
// Not so if the session was lost with it, or if the error is one of the server's own making (class
// XX): Aurora DSQL says "server unavailable" whether it has committed or not. A session that was
// ended for its slowness (idle in a transaction, or too long in one) never got to COMMIT.
bool is_surely_rolled_back(const Error& error) {
  if (error.sqlstate() == "25P03" || error.sqlstate() == "25P04") return true;
  if (error.code() != Errc::statement_failed || error.sqlstate().starts_with("XX")) return false;
  return error.error_class() != ErrorClass::unknown_outcome &&
         error.error_class() != ErrorClass::connection_lost;
}

}  // namespace

Task<Result<void>> TransactionRun::begin(int attempt) {
  Result<PooledSession> session = co_await sessions_.acquire(until(), from_);
  if (!session) co_return failure(session.error());
  take(std::move(*session), attempt);
  const Result<QueryResult> begun = co_await transaction_->exec(begin_statement(options_));
  if (begun) co_return Result<void>();
  co_await roll_back();
  co_return failure(begun.error());
}

Result<void> TransactionRun::begin_blocking(int attempt) {
  const Duration left =
      deadline_ == kNever ? Duration::max() : deadline_ - sessions_.env().scheduler.now();
  Result<PooledSession> session = sessions_.acquire_blocking(left, from_);
  if (!session) return failure(session.error());
  take(std::move(*session), attempt);
  const Result<QueryResult> begun = transaction_->exec_blocking(begin_statement(options_));
  if (begun) return {};
  roll_back_blocking();
  return failure(begun.error());
}

void TransactionRun::take(PooledSession session, int attempt) {
  session_.emplace(std::move(session));
  transaction_.emplace(**session_, until(), attempt);
}

Task<Result<void>> TransactionRun::commit() {
  Result<void> outcome = ready_to_commit();
  if (outcome) {
    const Result<QueryResult> answer = co_await (*session_)->exec("COMMIT", until());
    outcome = outcome_of(answer);
  }
  co_await roll_back();
  co_return outcome;
}

Result<void> TransactionRun::commit_blocking() {
  Result<void> outcome = ready_to_commit();
  if (outcome)
    outcome = outcome_of((*session_)->exec_blocking("COMMIT", transaction_->time_left()));
  roll_back_blocking();
  return outcome;
}

// After COMMIT there is mostly nothing left to roll back. Without an answer to ROLLBACK the session
// is not usable, or still in its transaction; the pool knows what to do about either.
Task<void> TransactionRun::roll_back() {
  if (must_roll_back()) {
    const Result<QueryResult> ignored = co_await (*session_)->exec("ROLLBACK", deadline_);
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

bool TransactionRun::must_roll_back() const {
  if (!session_) return false;
  const TransactionState state = (*session_)->transaction_state();
  return state == TransactionState::open || state == TransactionState::failed;
}

// A COPY that its body left open could take as long as it likes to drain: another session is
// sooner there.
void TransactionRun::let_go() {
  if (session_ && (*session_)->transaction_state() == TransactionState::busy) {
    session_->discard();
  }
  transaction_.reset();
  session_.reset();
}

bool TransactionRun::has_ended_by_itself() const {
  return (*session_)->transaction_state() == TransactionState::none ||
         transaction_->was_outside_transaction();
}

Result<void> TransactionRun::ready_to_commit() const {
  if (has_ended_by_itself()) return failure(Errc::invalid, std::string(kEndedByItself));
  switch ((*session_)->transaction_state()) {
    case TransactionState::open: return {};
    case TransactionState::failed: return failure(swallowed_failure());
    case TransactionState::busy:
      return failure(Errc::invalid,
                     "the body left a statement or COPY unfinished; nothing was committed");
    case TransactionState::none:
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
  const Error& error = answer.error();
  // Still in its transaction: COMMIT was not sent, for the deadline had passed.
  if ((*session_)->transaction_state() == TransactionState::open) return failure(error);
  if (options_.is_read_only || is_surely_rolled_back(error)) return failure(error);
  session_->mark_broken();
  session_.reset();
  return failure(unknown_outcome(error));
}

Error TransactionRun::unknown_outcome(const Error& last_words) const {
  return Error(Errc::unknown_outcome, ErrorClass::unknown_outcome,
               fmt::format("COMMIT of \"{}\" has no answer, so it may have been applied or not; "
                           "look before you run it again ({}: {})",
                           options_.operation, name(last_words.code()), last_words.text()),
               last_words.sqlstate());
}

Error TransactionRun::cause_of(const Error& body_error) const {
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
