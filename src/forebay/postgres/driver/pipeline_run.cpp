#include "forebay/postgres/driver/pipeline_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "forebay/postgres/driver/libpq_error.hpp"

namespace forebay::postgres {
namespace {

constexpr std::size_t kMessageBytes = 64;        // about what the protocol adds
constexpr std::size_t kMostParameters = 65'535;  // of the protocol

std::size_t bytes_of(const Batch::Entry& entry) {
  std::size_t bytes = kMessageBytes + entry.statement.sql().size();
  for (const std::optional<std::string>& parameter : entry.parameters)
    bytes += parameter ? parameter->size() : 0;
  return bytes;
}

// COMMIT was answered with ROLLBACK.
Error rolled_back() {
  return Error(Errc::statement_failed, ErrorClass::permanent,
               "the transaction had failed before, and the server has rolled it back", "25P02");
}

bool is_copy(ExecStatusType status) {
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

}  // namespace

PipelineRun::PipelineRun(pg_conn* connection, StatementCache& cache, const Batch& batch,
                         PipelineFrame frame)
    : connection_(connection), cache_(cache), batch_(batch), frame_(std::move(frame)) {
  // All uses are counted before any is planned: a text that is there twice is prepared at once.
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const Result<void> checked = check_entry(i);
    if (!checked && !refusal_) refusal_ = checked.error();
  }
}

Result<void> PipelineRun::check_entry(std::size_t index) {
  const Batch::Entry& entry = batch_.entries()[index];
  StatementCache::Known& known = cache_.use(entry.statement.sql());
  const wire::StatementReading& reading = cache_.reading_of(known);
  leftovers_.add(reading.leftovers);
  // With parameters the server takes one statement or none.
  if (!reading.is_single && entry.parameters.empty()) can_travel_ = false;
  if (frame_.is_guarded && reading.is_transaction_control) {
    return failure(Errc::invalid,
                   "a batch is all or nothing, and begins or ends no transaction by itself");
  }
  if (frame_.is_guarded && reading.is_understood && !reading.is_single) {
    return failure(Errc::invalid,
                   "in a batch each text is one statement, and neither a COPY nor empty");
  }
  Result<void> checked = check_text(known.sql, entry.parameters);
  if (checked && entry.parameters.size() > kMostParameters) {
    checked = failure(Errc::invalid, fmt::format("{} parameters, and the protocol has room for {}",
                                                 entry.parameters.size(), kMostParameters));
  }
  return checked;
}

Result<void> PipelineRun::start() {
  if (refusal_) return failure(*refusal_);
  if (PQenterPipelineMode(connection_) != 1) {
    return failure(Errc::invalid, fmt::format("statements cannot be sent together: {}",
                                              one_line(PQerrorMessage(connection_))));
  }
  plan(false);
  return {};
}

void PipelineRun::plan(bool is_again) {
  steps_.clear();
  steps_.reserve(batch_.size() + 4);  // with what stands around them; what is prepared is rare
  answers_.clear();
  answers_.reserve(batch_.size());
  handed_ = answered_ = unflushed_ = 0;
  has_begun_ = is_over_ = is_settled_ = has_failed_stale_ = false;
  is_second_try_ = is_again;
  first_error_.reset();
  failed_entry_.reset();
  if (!frame_.begin.empty()) {
    if (is_again) steps_.emplace_back(Kind::roll_back);
    steps_.emplace_back(Kind::begin);
  }
  for (std::size_t i = 0; i < batch_.size(); ++i) plan_entry(i);
  if (frame_.commits) steps_.emplace_back(Kind::commit);
  steps_.emplace_back(Kind::sync);
}

// What is being prepared counts as prepared for the entries behind it, which the server reads
// later.
void PipelineRun::plan_entry(std::size_t index) {
  const Statement& statement = batch_.entries()[index].statement;
  StatementCache::Known* const known = cache_.find(statement.sql());  // null in a very long batch
  if (known == nullptr) {
    steps_.emplace_back(Kind::run, index);
    return;
  }
  const bool is_wanted = statement.prepared_name() || cache_.is_worth_preparing(*known);
  if (known->server_name.empty() && is_wanted) {
    cache_.note_prepared(*known, cache_.new_name(statement.prepared_name().value_or("")));
    steps_.emplace_back(Kind::prepare, index, known->server_name);
  }
  if (known->server_name.empty()) {
    steps_.emplace_back(Kind::run, index);
  } else {
    steps_.emplace_back(Kind::run_prepared, index, known->server_name);
  }
}

Result<void> PipelineRun::send(const Step& step) {
  StatementRun run(connection_);
  switch (step.kind) {
    case Kind::roll_back: return run.start_single("ROLLBACK", none_);
    case Kind::begin: return run.start_single(frame_.begin, none_);
    case Kind::commit: return run.start_single("COMMIT", none_);
    case Kind::sync:
      if (PQpipelineSync(connection_) == 1) return {};
      return failure(Errc::connection_lost, one_line(PQerrorMessage(connection_)));
    default: break;
  }
  const Batch::Entry& entry = batch_.entries()[step.entry];
  if (step.kind == Kind::prepare) return run.start_preparing(step.name, entry.statement.sql());
  unflushed_ += bytes_of(entry);
  if (step.kind == Kind::run_prepared) return run.start_prepared(step.name, entry.parameters);
  return run.start_single(entry.statement.sql(), entry.parameters);
}

// Hands over as much as the socket takes, and for one turn.
void PipelineRun::hand_on() {
  std::size_t handed_this_turn = 0;
  while (!is_over_ && handed_ < steps_.size() && handed_this_turn < kTurnBytes) {
    if (unflushed_ >= kPieceBytes) {
      if (PQflush(connection_) == 1) break;
      handed_this_turn += std::exchange(unflushed_, 0);
    }
    if (first_error_) drop_unsent_steps();
    const Result<void> sent = send(steps_[handed_]);
    if (!sent) return give_up(sent.error());
    ++handed_;
  }
  is_unsent_ = PQflush(connection_) == 1;
}

// After an error the server waits for the Sync alone.
void PipelineRun::drop_unsent_steps() {
  const auto first = steps_.begin() + static_cast<std::ptrdiff_t>(handed_);
  std::for_each(first, steps_.end() - 1, [this](const Step& step) { forget_unprepared(step); });
  steps_.erase(first, steps_.end() - 1);
}

// What the server did not come to prepare is not there.
void PipelineRun::forget_unprepared(const Step& step) {
  if (step.kind != Kind::prepare || step.is_done) return;
  StatementCache::Known* const known = cache_.find(batch_.entries()[step.entry].statement.sql());
  if (known != nullptr && known->server_name == step.name) cache_.note_lost(*known);
}

Need PipelineRun::advance() {
  for (;;) {
    if (must_read_) PQconsumeInput(connection_);  // its failures come out of PQgetResult
    must_read_ = false;
    hand_on();
    collect();
    if (is_over_) {
      settle();
      if (!can_repeat()) return Need::nothing;
      if (PQenterPipelineMode(connection_) != 1) return Need::nothing;
      plan(true);
      continue;
    }
    must_read_ = true;
    return is_unsent_ || handed_ < steps_.size() ? Need::either : Need::readable;
  }
}

// libpq ends the answers of each step, but that of the Sync, with a null.
void PipelineRun::collect() {
  const auto has_answer = [this] {
    return PQisBusy(connection_) == 0 || PQstatus(connection_) != CONNECTION_OK;
  };
  while (!is_over_ && answered_ < handed_ && has_answer()) {
    ResultHandle result(PQgetResult(connection_));
    if (result) {
      note_answer(std::move(result));
    } else {
      finish_step();
    }
  }
}

void PipelineRun::note_answer(ResultHandle result) {
  Step& step = steps_[answered_];
  const ExecStatusType status = PQresultStatus(result.get());
  if (status == PGRES_PIPELINE_SYNC) {
    ++answered_;
    is_over_ = true;
    return;
  }
  if (is_copy(status)) {
    return give_up(Error(Errc::invalid, "a COPY cannot travel together with other statements"));
  }
  if (status == PGRES_PIPELINE_ABORTED) return;
  if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) {
    return note_failure(step, result.get());
  }
  step.is_done = true;
  switch (step.kind) {
    case Kind::begin: has_begun_ = true; break;
    case Kind::run:
    case Kind::run_prepared: answers_.emplace_back(std::move(result)); break;
    case Kind::commit:
      if (std::string_view(PQcmdStatus(result.get())) != "COMMIT") first_error_ = rolled_back();
      break;
    default: break;
  }
}

void PipelineRun::note_failure(const Step& step, const pg_result* result) {
  if (first_error_) return;  // later errors are consequences: the first says why
  first_error_ = statement_error(result, connection_);
  if (step.kind == Kind::prepare || step.kind == Kind::run || step.kind == Kind::run_prepared) {
    failed_entry_ = step.entry;
  }
  if (step.kind != Kind::run_prepared) return;
  StatementCache::Known* const known = cache_.find(batch_.entries()[step.entry].statement.sql());
  if (known == nullptr || known->server_name != step.name) return;
  const bool was_prepared_here = std::ranges::any_of(steps_, [&](const Step& other) {
    return other.kind == Kind::prepare && other.name == step.name;
  });
  has_failed_stale_ = cache_.note_refused(*known, first_error_->sqlstate()) && !was_prepared_here;
}

void PipelineRun::finish_step() {
  if (PQstatus(connection_) != CONNECTION_OK) {
    if (!first_error_) first_error_ = statement_error(nullptr, connection_);
    is_over_ = true;
    return;
  }
  // What fails at the Sync (a deferred constraint, outside of a transaction) comes before it.
  if (steps_[answered_].kind != Kind::sync) ++answered_;
}

void PipelineRun::settle() {
  for (const Step& step : steps_) forget_unprepared(step);
  is_settled_ = PQexitPipelineMode(connection_) == 1 && PQstatus(connection_) == CONNECTION_OK;
}

// Nothing of it has stayed: the server has rolled back, or will when it is told to, and what ran
// before leaves nothing behind that a rollback does not undo.
bool PipelineRun::can_repeat() const {
  if (!has_failed_stale_ || is_second_try_ || !is_settled_ || !failed_entry_) return false;
  const auto when_rolled_back = frame_.begin.empty() ? PQTRANS_IDLE : PQTRANS_INERROR;
  if (PQtransactionStatus(connection_) != when_rolled_back) return false;
  const auto leaves_nothing = [this](const Batch::Entry& entry) {
    StatementCache::Known* const known = cache_.find(entry.statement.sql());
    return known != nullptr && known->reading.is_preparable && known->reading.leftovers.empty();
  };
  const auto first = batch_.entries().begin();
  return std::all_of(first, first + static_cast<std::ptrdiff_t>(*failed_entry_), leaves_nothing);
}

void PipelineRun::give_up(Error error) {
  if (!first_error_) first_error_ = std::move(error);
  is_over_ = true;
}

Result<std::vector<QueryResult>> PipelineRun::take() {
  if (!first_error_) return std::move(answers_);
  return failure(*first_error_);
}

}  // namespace forebay::postgres
