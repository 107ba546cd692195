#include "forebay/standin/session/transaction_book.hpp"

namespace forebay::standin {

namespace {

Refusal conflict(std::string message) {
  Refusal refusal;
  refusal.sqlstate = "40001";
  refusal.message = std::move(message);
  return refusal;
}

}  // namespace

Refusal data_conflict() { return conflict("change conflicts with another transaction (OC000)"); }

Refusal schema_conflict() {
  return conflict("schema has been updated by another transaction (OC001)");
}

std::optional<Refusal> TransactionBook::take(const StatementJudgement& statement, Instant now) {
  const bool ends_block =
      statement.kind == StatementKind::commit || statement.kind == StatementKind::rollback;
  if (rules_->has_failed() && !ends_block) return std::nullopt;  // the server says so
  if (statement.kind == StatementKind::commit) return take_commit(statement, now);
  const bool writes = statement.kind == StatementKind::dml;
  const bool touches = writes || statement.kind == StatementKind::select;
  if (touches && !statement.refusal && is_schema_new()) {
    rules_->note_failure();
    return schema_conflict();
  }
  if (auto refusal = rules_->admit(statement, now)) return refusal;
  if (statement.kind == StatementKind::rollback) {
    forget_deeds();
    has_pending_ddl_ = false;
    return std::nullopt;
  }
  if (writes && !rules_->is_in_block() && world_->chaos.draw_conflict()) return data_conflict();
  has_touched_ = has_touched_ || touches;
  has_written_ = has_written_ || writes;
  has_pending_ddl_ = has_pending_ddl_ || is_ddl(statement.kind);
  return std::nullopt;
}

std::optional<Refusal> TransactionBook::take_commit(const StatementJudgement& statement,
                                                    Instant now) {
  const bool is_block = rules_->is_in_block() && !rules_->has_failed();
  std::optional<Refusal> refusal = rules_->admit(statement, now);
  if (is_block && !refusal && has_touched_ && is_schema_new()) refusal = schema_conflict();
  if (is_block && !refusal && has_written_ && world_->chaos.draw_conflict())
    refusal = data_conflict();
  if (refusal) has_pending_ddl_ = false;
  forget_deeds();
  return refusal;
}

// Once for each change: then the session has the new one.
bool TransactionBook::is_schema_new() {
  const bool is_new = seen_ != world_->catalog.version();
  seen_ = world_->catalog.version();
  return is_new && world_->has_schema_conflicts;
}

// It has just begun, so it is not refused for its age.
void TransactionBook::end_unit(Instant now) {
  static_cast<void>(rules_->end_of_message(now));
  if (!rules_->is_in_block()) forget_deeds();
}

void TransactionBook::ready(wire::TransactionStatus status) {
  if (status == wire::TransactionStatus::failed) rules_->note_failure();
  if (status != wire::TransactionStatus::idle) return;
  rules_->forget();
  forget_deeds();
  if (has_pending_ddl_) seen_ = world_->catalog.change();
  has_pending_ddl_ = false;
}

void TransactionBook::put_back(const TransactionBook& before) {
  rules_.emplace(*before.rules_);
  has_touched_ = before.has_touched_;
  has_written_ = before.has_written_;
  has_pending_ddl_ = before.has_pending_ddl_;
}

void TransactionBook::forget_deeds() {
  has_touched_ = false;
  has_written_ = false;
}

}  // namespace forebay::standin
