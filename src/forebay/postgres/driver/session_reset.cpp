#include "forebay/postgres/driver/session_reset.hpp"

#include <utility>

#include <libpq-fe.h>

#include "forebay/postgres/sql/quoted_identifier.hpp"

namespace forebay::postgres {
namespace {

std::string drop(const std::vector<std::string>& prepared) {
  std::string message;
  for (const std::string& name : prepared) message += "DEALLOCATE " + quoted_identifier(name) + ";";
  return message;
}

}  // namespace

SessionReset::SessionReset(pg_conn* connection, const ServerProfile& profile, ResetPlan plan)
    : connection_(connection), profile_(profile), plan_(std::move(plan)) {
  PQsetnonblocking(connection, 1);
  if (PQtransactionStatus(connection) == PQTRANS_ACTIVE) {
    drain_.emplace(connection);
  } else {
    plan_messages();
  }
}

Need SessionReset::advance() {
  if (drain_) {
    const Need need = drain();
    if (need != Need::nothing) return need;
  }
  return send();
}

Need SessionReset::drain() {
  const Need need = drain_->advance();
  if (need != Need::nothing) return need;
  drain_.reset();
  plan_messages();
  return Need::nothing;
}

void SessionReset::plan_messages() {
  const bool is_settled = PQexitPipelineMode(connection_) == 1 &&
                          PQtransactionStatus(connection_) != PQTRANS_ACTIVE &&
                          PQstatus(connection_) == CONNECTION_OK;
  if (is_settled) {
    messages_ =
        profile_.reset_messages(plan_.leftovers, PQtransactionStatus(connection_) != PQTRANS_IDLE);
    if (!drops_prepared() && !plan_.stale.empty()) messages_.push_back(drop(plan_.stale));
  } else {
    outcome_ = failure(Errc::connection_lost, "what its user left unfinished could not be ended");
  }
}

Need SessionReset::send() {
  while (outcome_ && (run_ || next_message_ < messages_.size())) {
    if (!run_) {
      run_.emplace(connection_);
      outcome_ = run_->start(messages_[next_message_++], Parameters());
      if (!outcome_) break;
    }
    const Need need = run_->advance();
    if (need != Need::nothing) return need;
    const Result<QueryResult> result = run_->take();
    run_.reset();
    if (!result) outcome_ = failure(result.error());
  }
  return Need::nothing;
}

}  // namespace forebay::postgres
