#include "forebay/postgres/driver/exec_run.hpp"

#include <utility>

#include <libpq-fe.h>

namespace forebay::postgres {

Result<void> ExecRun::start() {
  if (!known_.server_name.empty()) return send(Phase::executing);
  return send(must_prepare() ? Phase::preparing : Phase::plain);
}

bool ExecRun::must_prepare() const {
  const bool is_wanted = statement_.prepared_name() || cache_.is_worth_preparing(known_);
  return is_wanted && known_.server_name.empty();
}

Result<void> ExecRun::send(Phase phase) {
  phase_ = phase;
  run_.emplace(connection_);
  switch (phase) {
    case Phase::plain: return run_->start(known_.sql, parameters_);
    case Phase::preparing:
      was_prepared_here_ = true;
      name_ = cache_.new_name(statement_.prepared_name().value_or(""));
      return run_->start_preparing(name_, known_.sql);
    case Phase::executing: break;
  }
  return run_->start_prepared(known_.server_name, parameters_);
}

Need ExecRun::advance() {
  for (;;) {
    const Need need = run_->advance();
    if (need != Need::nothing) return need;
    answer_ = run_->take();
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
  if (phase_ != Phase::executing || answer) return std::nullopt;
  if (!cache_.note_refused(known_, answer.error().sqlstate())) return std::nullopt;
  const bool can_repeat = PQtransactionStatus(connection_) == PQTRANS_IDLE && !was_prepared_here_;
  return can_repeat ? std::optional(Phase::preparing) : std::nullopt;
}

Result<QueryResult> ExecRun::take() { return std::move(*answer_); }

}  // namespace forebay::postgres
