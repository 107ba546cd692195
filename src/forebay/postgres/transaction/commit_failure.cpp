#include "forebay/postgres/transaction/commit_failure.hpp"

#include <fmt/format.h>

namespace forebay::postgres {
namespace {

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

// The session's own word, which is worth more than that of the error.
bool was_commit_not_run(const LibpqConnection& session) {
  switch (session.transaction_state()) {
    case TransactionState::open:
    case TransactionState::failed:
    case TransactionState::busy:
      return true;  // with something else: nothing was sent
    // Nothing was sent, or the server has refused BEGIN and skipped the rest.
    case TransactionState::none: return session.is_begin_pending();
    case TransactionState::lost: break;
  }
  return false;
}

Error unknown_outcome(const TransactionOptions& options, const Error& last_words) {
  return Error(Errc::unknown_outcome, ErrorClass::unknown_outcome,
               fmt::format("COMMIT of \"{}\" has no answer, so it may have been applied or not; "
                           "look before you run it again ({}: {})",
                           options.operation, name(last_words.code()), last_words.text()),
               last_words.sqlstate());
}

}  // namespace

CommitFailure judge_commit(const TransactionOptions& options, const LibpqConnection& session,
                           const Error& error) {
  const bool is_known =
      was_commit_not_run(session) || options.is_read_only || is_surely_rolled_back(error);
  if (is_known) return CommitFailure(error, false);
  return CommitFailure(unknown_outcome(options, error), true);
}

}  // namespace forebay::postgres
