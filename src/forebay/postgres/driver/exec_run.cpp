#include "forebay/postgres/driver/exec_run.hpp"

#include <utility>

#include <libpq-fe.h>

namespace forebay::postgres {

Result<void> ExecRun::start() {
  if (!known_.server_name.empty()) {
    return can_talk() ? talk() : send(Phase::executing);
  }
  return send(must_prepare() ? Phase::preparing : Phase::plain);
}

bool ExecRun::can_talk() const {
  const wire::StatementReading& reading = known_.reading;
  return dialogue_ != nullptr && known_.is_read && reading.is_preparable &&
         reading.leftovers.empty() && Dialogue::can_carry(parameters_);
}

Result<void> ExecRun::talk() {
  phase_ = Phase::talking;
  Dialogue::Prepared prepared(known_.server_name, parameters_);
  prepared.shape = known_.shape;
  shape_before_ = known_.shape.get();
  prepared.is_in_transaction = PQtransactionStatus(connection_) != PQTRANS_IDLE;
  return dialogue_->start(prepared);
}

LibpqStep& ExecRun::work() {
  if (phase_ == Phase::talking) return *dialogue_;
  return *run_;
}

Result<QueryResult> ExecRun::take_answer() {
  if (phase_ != Phase::talking) return run_->take();
  Result<QueryResult> answer = dialogue_->take();
  if (!answer || dialogue_->shape().get() == shape_before_) return answer;
  // Not what was known at the start, which misuse meanwhile may have had forgotten.
  StatementCache::Known* const known = cache_.find(statement_.sql());
  if (known != nullptr) known->shape = dialogue_->shape();
  return answer;
}

bool ExecRun::must_prepare() const {
  const bool is_wanted = statement_.prepared_name() || cache_.is_worth_preparing(known_);
  return is_wanted && known_.server_name.empty();
}

Result<void> ExecRun::send(Phase phase) {
  phase_ = phase;
  if (dialogue_ != nullptr) dialogue_->rest();
  run_.emplace(connection_);
  switch (phase) {
    case Phase::plain: return run_->start(known_.sql, parameters_);
    case Phase::preparing:
      was_prepared_here_ = true;
      name_ = cache_.new_name(statement_.prepared_name().value_or(""));
      return run_->start_preparing(name_, known_.sql);
    case Phase::executing:
    case Phase::talking: break;
  }
  return run_->start_prepared(known_.server_name, parameters_);
}

Need ExecRun::advance() {
  for (;;) {
    const Need need = work().advance();
    if (need != Need::nothing) return need;
    answer_ = take_answer();
    const std::optional<Phase> next = next_phase(*answer_);
    if (!next) return Need::nothing;
    const Result<void> sent = send(*next);
    if (!sent) {
      answer_ = failure(sent.error());
      return Need::nothing;
    }
  }
}

std::optional<ExecRun::Phase> ExecRun::next_phase(const Result<QueryResult>& answer) {
  if (phase_ == Phase::preparing && answer) {
    cache_.note_prepared(known_, std::move(name_));
    return Phase::executing;
  }
  const bool was_prepared = phase_ == Phase::executing || phase_ == Phase::talking;
  if (!was_prepared || answer) return std::nullopt;
  if (!cache_.note_refused(known_, answer.error().sqlstate())) return std::nullopt;
  const bool can_repeat = PQtransactionStatus(connection_) == PQTRANS_IDLE && !was_prepared_here_;
  return can_repeat ? std::optional(Phase::preparing) : std::nullopt;
}

Result<QueryResult> ExecRun::take() { return std::move(*answer_); }

}  // namespace forebay::postgres
