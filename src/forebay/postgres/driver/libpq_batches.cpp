// LibpqConnection: what travels together, in one round trip, and what must go before.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include "forebay/base/misuse.hpp"
#include "forebay/env/loop_group.hpp"
#include "forebay/postgres/driver/connection_parts.hpp"
#include "forebay/postgres/driver/pipeline_run.hpp"

namespace forebay::postgres {
namespace {

std::string_view shown(const Batch& batch) {
  return batch.empty() ? std::string_view("COMMIT")
                       : std::string_view(batch.entries().front().statement.sql());
}

Batch batch_of(Statement statement, Parameters parameters) {
  Batch batch;
  batch.add(std::move(statement), std::move(parameters));
  return batch;
}

Result<QueryResult> only_answer(Result<std::vector<QueryResult>> answers) {
  if (!answers) return failure(answers.error());
  return std::move(answers->front());
}

PipelineFrame unguarded(const std::string& begin) {
  PipelineFrame frame(begin, false);
  frame.is_guarded = false;
  return frame;
}

}  // namespace

Task<Result<std::vector<QueryResult>>> LibpqConnection::exec_batch(Batch batch, Until until) {
  return run_batch(std::move(batch), false, until);
}

Task<Result<std::vector<QueryResult>>> LibpqConnection::exec_batch_and_commit(Batch batch,
                                                                              Until until) {
  return run_batch(std::move(batch), true, until);
}

Result<std::vector<QueryResult>> LibpqConnection::exec_batch_blocking(const Batch& batch,
                                                                      Duration timeout) {
  return run_batch_blocking(batch, false, timeout);
}

Result<std::vector<QueryResult>> LibpqConnection::exec_batch_and_commit_blocking(const Batch& batch,
                                                                                 Duration timeout) {
  return run_batch_blocking(batch, true, timeout);
}

Task<Result<std::vector<QueryResult>>> LibpqConnection::run_batch(Batch batch, bool commits,
                                                                  Until until) {
  if (batch.empty() && !commits) co_return std::vector<QueryResult>();
  PipelineRun run(libpq(), *parts_->statements, batch, PipelineFrame(parts_->begin, commits));
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, until.trace_context(), shown(batch));
  const Result<void> performed = co_await perform(run, run.leftovers(), until);
  co_return span.ended(performed ? finish_batch(run, batch)
                                 : failed<std::vector<QueryResult>>(performed));
}

Result<std::vector<QueryResult>> LibpqConnection::run_batch_blocking(const Batch& batch,
                                                                     bool commits,
                                                                     Duration timeout) {
  if (batch.empty() && !commits) return std::vector<QueryResult>();
  const Instant deadline = deadline_after(scheduler_.now(), timeout);
  PipelineRun run(libpq(), *parts_->statements, batch, PipelineFrame(parts_->begin, commits));
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, TraceScope::current(), shown(batch));
  const Result<void> performed = perform_blocking(shown(batch), run, run.leftovers(), deadline);
  return span.ended(performed ? finish_batch(run, batch)
                              : failed<std::vector<QueryResult>>(performed));
}

Result<std::vector<QueryResult>> LibpqConnection::finish_batch(PipelineRun& run,
                                                               const Batch& batch) {
  if (run.has_begun()) forget_begin();
  if (!run.is_settled()) is_broken_ = true;
  Result<std::vector<QueryResult>> answers = run.take();
  if (answers) return answers;
  note_failure(answers.error());
  if (!run.failed_entry() || batch.size() == 1) return answers;
  return failure(answers.error().with_text(fmt::format(
      "statement {} of {}: {}", *run.failed_entry() + 1, batch.size(), answers.error().text())));
}

Task<Result<QueryResult>> LibpqConnection::exec_together(Statement statement, Parameters parameters,
                                                         Until until) {
  const Batch batch = batch_of(std::move(statement), std::move(parameters));
  PipelineRun run(libpq(), *parts_->statements, batch, unguarded(parts_->begin));
  if (!run.can_travel()) {
    const Result<void> begun = co_await begin_now(until);
    if (!begun) co_return failure(begun.error());
    const Batch::Entry& entry = batch.entries().front();
    co_return co_await exec(entry.statement, entry.parameters, until);
  }
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, until.trace_context(), shown(batch));
  const Result<void> performed = co_await perform(run, run.leftovers(), until);
  co_return span.ended(performed ? only_answer(finish_batch(run, batch))
                                 : failed<QueryResult>(performed));
}

Result<QueryResult> LibpqConnection::exec_together_blocking(const Statement& statement,
                                                            const Parameters& parameters,
                                                            Instant deadline) {
  const Batch batch = batch_of(statement, parameters);
  PipelineRun run(libpq(), *parts_->statements, batch, unguarded(parts_->begin));
  if (!run.can_travel()) {
    const Result<void> begun = begin_now_blocking(time_until(deadline));
    if (!begun) return failure(begun.error());
    return exec_blocking_until(statement, parameters, deadline);
  }
  ObservedSpan span(parts_->observation, scheduler_);
  if (span) span.begin(ObservedStep::statement, TraceScope::current(), shown(batch));
  const Result<void> performed = perform_blocking(shown(batch), run, run.leftovers(), deadline);
  return span.ended(performed ? only_answer(finish_batch(run, batch))
                              : failed<QueryResult>(performed));
}

void LibpqConnection::begin_with_next(std::string begin, Instant deadline) {
  forget_stream_failure();
  parts_->begin = std::move(begin);
  parts_->begin_deadline = deadline;
}

void LibpqConnection::forget_begin() { parts_->begin.clear(); }

bool LibpqConnection::is_begin_pending() const { return !parts_->begin.empty(); }

Task<Result<void>> LibpqConnection::begin_now(Until until) {
  if (!is_begin_pending()) co_return Result<void>();
  std::string begin = std::exchange(parts_->begin, std::string());
  const Result<QueryResult> begun = co_await exec(begin, until);
  if (begun) co_return Result<void>();
  parts_->begin = std::move(begin);
  co_return failure(begun.error());
}

Result<void> LibpqConnection::begin_now_blocking(Duration timeout) {
  if (!is_begin_pending()) return {};
  std::string begin = std::exchange(parts_->begin, std::string());
  const Result<QueryResult> begun = exec_blocking(begin, timeout);
  if (begun) return {};
  parts_->begin = std::move(begin);
  return failure(begun.error());
}

pg_conn* LibpqConnection::native() {
  refuse_without_loan();
  if (parts_->is_streaming || parts_->has_abandoned_rows) return nullptr;
  if (!begin_for_native()) return nullptr;
  parts_->is_shown_raw = true;
  session_ = Session::used;
  parts_->leftovers.add(wire::Leftover::everything);
  return libpq();
}

// Without the transaction its user would work outside of it, unnoticed.
bool LibpqConnection::begin_for_native() {
  if (!is_begin_pending() || !is_usable()) return true;
  if (is_on_loop(scheduler_)) {
    stop_for_misuse(
        "native() was called in a transaction that has not begun yet, on the runtime's own thread, "
        "which must never wait; co_await begin() of the transaction, or a statement, before it");
  }
  return begin_now_blocking(time_until(parts_->begin_deadline)).has_value();
}

Duration LibpqConnection::time_until(Instant deadline) const {
  return deadline == kNever ? Duration::max() : deadline - scheduler_.now();
}

// A server that ended an idle session said so before anybody asked it for something.
bool LibpqConnection::is_heard_alive() {
  if (parts_->is_streaming || parts_->has_abandoned_rows) return true;
  if (!is_usable()) return false;
  pollfd waiting{};
  waiting.fd = PQsocket(handle_.get());
  waiting.events = POLLIN;
  if (::poll(&waiting, 1, 0) <= 0) return true;
  // Its last words are one read, and its end is another.
  for (int reads = 0; reads < 2; ++reads) {
    PQconsumeInput(libpq());
    PQisBusy(handle_.get());
  }
  return is_usable();
}

}  // namespace forebay::postgres
