#include "forebay/postgres/transaction/run_transaction.hpp"

#include "forebay/base/misuse.hpp"
#include "forebay/env/loop_group.hpp"

namespace forebay::postgres::detail {

Error thrown_by_body(const std::exception_ptr& thrown, const Transaction& transaction) {
  const std::string text = "the body of the transaction threw an exception";
  switch (transaction.commit_state()) {
    case Transaction::Commit::not_sent:
    case Transaction::Commit::refused: break;
    case Transaction::Commit::done:
      return Error(Errc::invalid, text + " after it had committed: " + text_of(thrown));
    case Transaction::Commit::unknown:
      return transaction.commit_error().with_text(transaction.commit_error().text() + "; " + text +
                                                  ": " + text_of(thrown));
  }
  return Error(Errc::invalid, text + ", and nothing was applied: " + text_of(thrown));
}

Sleep pause(Scheduler& scheduler, Instant end, Until until) {
  return sleep_until(here(scheduler), Until(end).within(until));
}

Result<void> check_blocking(const Scheduler& scheduler, const TransactionOptions& options,
                            const std::source_location& from) {
  Result<void> checked = check(options);
  if (!checked || !scheduler.is_current_thread()) return checked;
  return failure(Errc::invalid, "a blocking transaction at " + place_text(from) +
                                    " on the runtime's own thread, which must never wait; co_await "
                                    "run_transaction() there");
}

}  // namespace forebay::postgres::detail
