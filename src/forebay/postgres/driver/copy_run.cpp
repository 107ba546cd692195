#include "forebay/postgres/driver/copy_run.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <libpq-fe.h>

namespace forebay::postgres {

Result<void> CopyRun::start() { return run_->start(sql_, Parameters()); }

Result<std::uint64_t> CopyRun::take() { return std::move(outcome_); }

Need CopyRun::advance() {
  while (phase_ != Phase::over) {
    const Need need = work();
    if (need != Need::nothing) return need;
  }
  return Need::nothing;
}

// One part of the work; with Need::nothing the next part can go on.
Need CopyRun::work() {
  Need need = Need::nothing;
  switch (phase_) {
    case Phase::beginning:
      need = run_->advance();
      if (need == Need::nothing) judge_beginning();
      break;
    case Phase::moving:
      need = move_data();
      if (need == Need::nothing) {
        run_.emplace(connection_);  // nothing to send: it collects the results
        phase_ = Phase::ending;
      }
      break;
    case Phase::ending:
      need = run_->advance();
      if (need == Need::nothing) judge_ending();
      break;
    case Phase::draining:
      need = drain_->advance();
      if (need == Need::nothing) phase_ = Phase::over;
      break;
    case Phase::over: break;
  }
  return need;
}

void CopyRun::judge_beginning() {
  const Result<QueryResult> answer = run_->take();
  if (!answer) return finish(failure(answer.error()));
  if (has_begun(*answer)) {
    phase_ = Phase::moving;
    return;
  }
  Error error(Errc::invalid, fmt::format("{} was expected, and the statement was {}", wanted(),
                                         answer->is_copy() ? "another COPY" : "no COPY"));
  if (!answer->is_copy()) return finish(failure(std::move(error)));
  drain_as(std::move(error));
}

void CopyRun::judge_ending() {
  const Result<QueryResult> answer = run_->take();
  const bool has_more = answer && answer->is_copy();
  if (has_more) {
    return drain_as(refusal_.value_or(
        Error(Errc::invalid, "the COPY did not end: one COPY at a time, and nothing beside it")));
  }
  if (refusal_) return finish(failure(*refusal_));
  if (!answer) return finish(failure(answer.error()));
  if (!answer->command_tag().starts_with("COPY ")) {
    return finish(failure(Errc::invalid,
                          fmt::format("the answer to a COPY was \"{}\": one COPY at a time, and "
                                      "nothing beside it; what the statements did stays",
                                      answer->command_tag())));
  }
  finish(answer->affected_rows());
}

void CopyRun::drain_as(Error error) {
  outcome_ = failure(std::move(error));
  drain_.emplace(connection_);
  phase_ = Phase::draining;
}

void CopyRun::finish(Result<std::uint64_t> outcome) {
  outcome_ = std::move(outcome);
  phase_ = Phase::over;
}

Need CopyIn::move_data() {
  std::size_t sent_this_turn = 0;
  while (!is_cut_ && PQstatus(connection()) == CONNECTION_OK) {
    if (const Need need = flush(connection()); need != Need::nothing) return need;
    // The caller looks at the deadline, and asks again.
    if (sent_ == chunk_.size() && !fill()) return Need::either;
    if (is_refused() || sent_ == chunk_.size()) return end();
    if (sent_this_turn >= kTurnBytes) return Need::either;  // mostly it is: others have their turn
    sent_this_turn += std::min(kPieceBytes, chunk_.size() - sent_);
    if (!send_piece()) return Need::either;
  }
  return Need::nothing;
}

// Small rows are gathered: each piece costs a message. False: it is too late, or the source has
// nothing now.
bool CopyIn::fill() {
  chunk_.clear();
  sent_ = 0;
  while (!is_source_at_end_ && !is_refused() && chunk_.size() < kPieceBytes) {
    const std::size_t size_before = chunk_.size();
    const Result<bool> has_more = source_(chunk_);
    if (deadline_.has_passed()) return false;
    if (!has_more) {
      refuse(has_more.error());
    } else {
      is_source_at_end_ = !*has_more;
    }
    if (chunk_.size() == size_before) break;
  }
  return !chunk_.empty() || is_source_at_end_ || is_refused();
}

// False: libpq has no room now. Its buffer would grow without end, so pieces are small.
bool CopyIn::send_piece() {
  const std::size_t size = std::min(kPieceBytes, chunk_.size() - sent_);
  const int answer = PQputCopyData(connection(), chunk_.data() + sent_, static_cast<int>(size));
  if (answer == 0) return false;
  if (answer < 0) is_cut_ = true;
  sent_ += size;
  return true;
}

Need CopyIn::end() {
  // The reason stays here: it may quote data, and the server's log is read by others.
  const int answer =
      PQputCopyEnd(connection(), is_refused() ? "the source of the rows refused" : nullptr);
  return answer == 0 ? Need::either : Need::nothing;
}

Need CopyOut::move_data() {
  if (must_read_) PQconsumeInput(connection());  // its failures come out of PQgetResult
  must_read_ = false;
  for (;;) {
    char* row = nullptr;
    const int length = PQgetCopyData(connection(), &row, 1);
    if (length < 0) return Need::nothing;  // the end, or an error that the results will show
    if (length == 0) {
      must_read_ = true;
      return Need::readable;
    }
    const LibpqText owned(row);
    if (is_refused()) continue;
    const Result<void> taken = sink_(std::string_view(row, static_cast<std::size_t>(length)));
    if (!taken) refuse(taken.error());
  }
}

}  // namespace forebay::postgres
