#include "forebay/postgres/exec_run.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

namespace forebay::postgres {
namespace {

constexpr std::size_t kLongestName = 63;  // PostgreSQL compares no more of a name
constexpr std::string_view kNoSuchStatement = "26000";

}  // namespace

Result<void> ExecRun::start() {
  if (!statement_.prepared_name()) return send(Phase::plain);
  const std::string& name = *statement_.prepared_name();
  if (name.empty() || name.size() > kLongestName) {
    return failure(Errc::invalid,
                   fmt::format("the name of a prepared statement has 1 to {} bytes, this one {}",
                               kLongestName, name.size()));
  }
  const auto known = prepared_.find(name);
  if (known == prepared_.end()) return send(Phase::preparing);
  if (known->second != statement_.sql()) {
    return failure(Errc::invalid,
                   fmt::format("this connection has prepared \"{}\" with another SQL: give the two "
                               "statements different names",
                               name));
  }
  return send(Phase::executing);
}

Result<void> ExecRun::send(Phase phase) {
  phase_ = phase;
  run_.emplace(connection_);
  switch (phase) {
    case Phase::plain: return run_->start(statement_.sql(), parameters_);
    case Phase::preparing:
      was_prepared_here_ = true;
      return run_->start_preparing(*statement_.prepared_name(), statement_.sql());
    case Phase::executing: break;
  }
  return run_->start_prepared(*statement_.prepared_name(), parameters_);
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
    prepared_.emplace(*statement_.prepared_name(), statement_.sql());
    return Phase::executing;
  }
  if (phase_ != Phase::executing || answer || answer.error().sqlstate() != kNoSuchStatement) {
    return std::nullopt;
  }
  // Its user has deallocated it, in SQL or through libpq.
  prepared_.erase(*statement_.prepared_name());
  const bool can_repeat = PQtransactionStatus(connection_) == PQTRANS_IDLE && !was_prepared_here_;
  return can_repeat ? std::optional(Phase::preparing) : std::nullopt;
}

Result<QueryResult> ExecRun::take() { return std::move(*answer_); }

}  // namespace forebay::postgres
