// COPY on a connection, as LibpqConnection has it: the streaming is CopyRun's.
#include "forebay/postgres/driver/connection_parts.hpp"
#include "forebay/postgres/driver/copy_run.hpp"
#include "forebay/postgres/driver/libpq_connection.hpp"

namespace forebay::postgres {

Task<Result<std::uint64_t>> LibpqConnection::copy_in(std::string sql, CopySource source,
                                                     Until until) {
  const Result<void> begun = co_await begin_now(until);
  if (!begun) co_return failure(begun.error());
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, until.trace_context(), sql);
  CopyIn copy(libpq(), sql, source, Deadline(scheduler_, until.deadline()));
  const Result<void> performed = co_await perform(copy, left_by(sql), until);
  co_return span.ended(performed ? finish_copy(copy) : failed<std::uint64_t>(performed));
}

Task<Result<std::uint64_t>> LibpqConnection::copy_out(std::string sql, CopySink sink, Until until) {
  const Result<void> begun = co_await begin_now(until);
  if (!begun) co_return failure(begun.error());
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, until.trace_context(), sql);
  CopyOut copy(libpq(), sql, sink);
  const Result<void> performed = co_await perform(copy, left_by(sql), until);
  co_return span.ended(performed ? finish_copy(copy) : failed<std::uint64_t>(performed));
}

Result<std::uint64_t> LibpqConnection::copy_in_blocking(const std::string& sql,
                                                        const CopySource& source,
                                                        Duration timeout) {
  const Instant deadline = deadline_after(scheduler_.now(), timeout);
  const Result<void> begun = begin_now_blocking(timeout);
  if (!begun) return failure(begun.error());
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, TraceScope::current(), sql);
  CopyIn copy(libpq(), sql, source, Deadline(scheduler_, deadline));
  const Result<void> performed = perform_blocking(sql, copy, left_by(sql), deadline);
  return span.ended(performed ? finish_copy(copy) : failed<std::uint64_t>(performed));
}

Result<std::uint64_t> LibpqConnection::copy_out_blocking(const std::string& sql,
                                                         const CopySink& sink, Duration timeout) {
  const Instant deadline = deadline_after(scheduler_.now(), timeout);
  const Result<void> begun = begin_now_blocking(timeout);
  if (!begun) return failure(begun.error());
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, TraceScope::current(), sql);
  CopyOut copy(libpq(), sql, sink);
  const Result<void> performed = perform_blocking(sql, copy, left_by(sql), deadline);
  return span.ended(performed ? finish_copy(copy) : failed<std::uint64_t>(performed));
}

Result<std::uint64_t> LibpqConnection::finish_copy(CopyRun& copy) {
  // What a source or sink says is about its own affairs, even if it speaks of a lost connection.
  return copy.is_refused() ? copy.take() : finish(copy.take());
}

}  // namespace forebay::postgres
