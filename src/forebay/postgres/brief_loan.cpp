#include "forebay/detail/postgres/brief_loan.hpp"

#include <algorithm>

#include "forebay/env/loop_group.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/postgres/statement_errand.hpp"

namespace forebay::postgres::detail {
namespace {

Duration between(Instant now, Instant deadline) {
  return deadline == kNever ? Duration::max() : deadline - now;
}

}  // namespace

Until CallLimit::from(Instant now) const {
  return until_ ? *until_ : Until(deadline_after(now, timeout_));
}

Duration CallLimit::until_end(const Scheduler& scheduler) const {
  return between(scheduler.now(), until_->deadline());
}

HeardStop::HeardStop(Scheduler& scheduler, Until until, const std::stop_token& stop)
    : until_(until) {
  if (!stop.stop_possible()) return;
  remote_ = RemoteCancellation::make(scheduler);
  // One that was asked for already is heard before anything is waited for.
  if (stop.stop_requested()) remote_->cancellation().cancel();
  until_ = Until(until.deadline(), remote_->cancellation()).traced(until.trace_context());
  callback_.emplace(stop, Request{remote_});
}

HeardStop::~HeardStop() {
  callback_.reset();
  if (remote_) remote_->end();
}

void HeardStop::tighten(TransactionOptions& options, Instant now) const {
  options.timeout = std::min(options.timeout, between(now, until_.deadline()));
  if (until_.cancellation() != nullptr) options.cancellation = until_.cancellation();
  if (!until_.trace_context().empty()) options.trace_context = until_.trace_context();
}

Result<QueryResult> BriefLoan::exec_blocking(const Statement& statement,
                                             const Parameters& parameters, Duration timeout) {
  Scheduler& scheduler = sessions_.env().scheduler;
  const Instant deadline = deadline_after(scheduler.now(), timeout);
  // A thread that waits for a server hears nothing else, so a loop waits in its place.
  if (stop_.stop_possible() && !is_on_loop(scheduler))
    return run_blocking(
        scheduler,
        exec_on_loan(sessions_, CallLimit(Until(deadline).traced(TraceScope::current()), stop_),
                     from_, statement, parameters));
  if (Pool* const pool = sessions_.sole_pool()) {
    StatementErrand errand(statement, parameters, deadline, from_);
    return errand.run(*pool, sessions_.observation(), scheduler);
  }
  const Result<PooledSession> session = sessions_.acquire_blocking(timeout, from_);
  if (!session) return failure(session.error());
  return (*session)->exec_blocking_until(statement, parameters, deadline);
}

}  // namespace forebay::postgres::detail
