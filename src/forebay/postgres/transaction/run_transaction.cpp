#include "forebay/postgres/transaction/run_transaction.hpp"

#include "forebay/base/misuse.hpp"
#include "forebay/env/loop_group.hpp"

namespace forebay::postgres::detail {

Error thrown_by_body(const std::exception_ptr& thrown) {
  return Error(Errc::invalid,
               "the body of the transaction threw an exception, and nothing was applied: " +
                   text_of(thrown));
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
