#include "forebay/standin/statements/transaction_rules.hpp"

#include <chrono>
#include <string>

namespace forebay::standin {
namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;

std::string seconds_text(Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

}  // namespace

void TransactionRules::start(State state, Instant now) {
  if (transaction_.state == State::idle) {
    transaction_ = {};
    transaction_.started_at = now;
  }
  transaction_.state = state;
}

void TransactionRules::note_failure() {
  if (transaction_.state == State::block) {
    transaction_.state = State::failed;
  } else if (transaction_.state == State::implicit) {
    transaction_ = {};
  }
}

std::optional<Refusal> TransactionRules::failed(std::optional<Refusal> refusal) {
  if (refusal) note_failure();
  return refusal;
}

std::optional<Refusal> TransactionRules::too_old(Instant now) const {
  const Duration age = now - transaction_.started_at;
  if (!is_open() || age <= book_.limits().age) return std::nullopt;
  const std::string most = seconds_text(book_.limits().age);
  return book_.refusal("transaction_age", {most}, {seconds_text(age), most});
}

std::optional<Refusal> TransactionRules::too_large() const {
  if (transaction_.bytes <= book_.limits().mebibytes * kMebibyte) return std::nullopt;
  const std::string most = std::to_string(book_.limits().mebibytes);
  const std::string size = std::to_string((transaction_.bytes + kMebibyte - 1) / kMebibyte);
  return book_.refusal("transaction_size", {most}, {size, most});
}

std::optional<Refusal> TransactionRules::mixed(const StatementJudgement& statement) const {
  const bool is_dml = statement.kind == StatementKind::dml;
  if (!is_dml && !is_ddl(statement.kind)) return std::nullopt;
  if (is_dml ? transaction_.has_ddl : transaction_.has_dml) return book_.refusal("ddl_and_dml");
  return is_dml || !transaction_.has_ddl ? std::nullopt : book_.refusal("multiple_ddl");
}

std::optional<Refusal> TransactionRules::admit_commit(Instant now) {
  std::optional<Refusal> refusal = too_old(now);
  if (!refusal) refusal = too_large();
  transaction_ = {};
  return refusal;
}

std::optional<Refusal> TransactionRules::admit(const StatementJudgement& statement, Instant now) {
  const bool is_end = !statement.refusal && (statement.kind == StatementKind::commit ||
                                             statement.kind == StatementKind::rollback);
  if (has_failed() && !is_end) {
    // Off: as if nothing had been the matter, which only PostgreSQL can know.
    return book_.refusal("aborted_transaction");
  }
  if (has_failed() || (is_end && statement.kind == StatementKind::rollback)) {
    transaction_ = {};
    return std::nullopt;
  }
  if (statement.refusal) return failed(statement.refusal);
  if (is_end) return admit_commit(now);
  if (std::optional<Refusal> refusal = failed(too_old(now))) return refusal;
  if (statement.kind == StatementKind::begin) {
    start(State::block, now);
    return std::nullopt;
  }
  if (!is_open()) start(State::implicit, now);
  if (std::optional<Refusal> refusal = failed(mixed(statement))) return refusal;
  transaction_.has_ddl |= is_ddl(statement.kind);
  transaction_.has_dml |= statement.kind == StatementKind::dml;
  return std::nullopt;
}

std::optional<Refusal> TransactionRules::note_done(const StatementJudgement& statement,
                                                   std::int64_t rows, std::int64_t bytes) {
  if (statement.kind != StatementKind::dml && !statement.locks_rows) return std::nullopt;
  transaction_.rows += rows;
  transaction_.bytes += bytes;
  if (transaction_.rows <= book_.limits().rows) return std::nullopt;
  return failed(book_.refusal("transaction_rows"));
}

std::optional<Refusal> TransactionRules::end_of_message(Instant now) {
  if (transaction_.state != State::implicit) return std::nullopt;
  return admit_commit(now);
}

}  // namespace forebay::standin
