#include "forebay/detail/postgres/stream_loan.hpp"

#include "forebay/env/loop_group.hpp"
#include "forebay/env/run_blocking.hpp"

namespace forebay::postgres::detail {

StreamLimit StreamLoan::stream_limit(Until until) const {
  return is_whole_ ? StreamLimit(until, limit_.stop()) : StreamLimit(sessions_.call_timeout());
}

Task<Result<StreamedRows>> StreamLoan::open(Statement statement, Parameters parameters) {
  const Until until = limit_.from(sessions_.env().scheduler.now());
  return open_until(std::move(statement), std::move(parameters), until);
}

Task<Result<StreamedRows>> StreamLoan::open_until(Statement statement, Parameters parameters,
                                                  Until until) {
  Scheduler& scheduler = sessions_.env().scheduler;
  const HeardStop heard(scheduler, until, limit_.stop());
  Result<PooledSession> session = co_await sessions_.acquire(heard.until(), from_);
  if (!session) co_return failure(session.error());
  Result<StreamedRows> rows = co_await (*session)->open_rows(
      std::move(statement), std::move(parameters), heard.until(), stream_limit(until));
  if (rows) rows->keep(std::move(*session));
  co_return rows;
}

Result<StreamedRows> StreamLoan::open_blocking(const Statement& statement,
                                               const Parameters& parameters) {
  Scheduler& scheduler = sessions_.env().scheduler;
  // A thread that waits for a server hears nothing else, so a loop waits in its place.
  if (limit_.stop().stop_possible() && !is_on_loop(scheduler))
    return run_blocking(scheduler,
                        open_until(statement, parameters,
                                   limit_.from(scheduler.now()).traced(TraceScope::current())));
  const Instant deadline = limit_.from(scheduler.now()).deadline();
  const Duration timeout = deadline == kNever ? Duration::max() : deadline - scheduler.now();
  Result<PooledSession> session = sessions_.acquire_blocking(timeout, from_);
  if (!session) return failure(session.error());
  Result<StreamedRows> rows =
      (*session)->open_rows_blocking(statement, parameters, stream_limit(deadline));
  if (rows) rows->keep(std::move(*session));
  return rows;
}

}  // namespace forebay::postgres::detail
