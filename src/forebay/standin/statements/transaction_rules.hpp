// TransactionRules: what one session's transaction may do, told of its statements, rows, bytes and
// times. Pure; the caller runs the statements.
//
//   idle ── a statement ──► implicit ── end_of_message() ──► idle
//     │                        │ BEGIN
//     └──────── BEGIN ──────►  block ── an error ──► failed
//                              └── COMMIT, ROLLBACK ──► idle ◄──┘
// An error ends an implicit transaction.
//
// Rows and sizes are refused after they were written, so the caller runs implicit transactions as
// blocks of its own, too, and takes them back.
#pragma once

#include <cstdint>
#include <optional>

#include "forebay/env/time.hpp"
#include "forebay/standin/statements/judgement.hpp"
#include "forebay/standin/statements/rule_book.hpp"

namespace forebay::standin {

class TransactionRules {
 public:
  // The book must outlive it.
  explicit TransactionRules(const RuleBook& book) : book_(book) {}

  // Before a statement. If it is refused it must not run, and in a block the transaction has
  // failed; a refused COMMIT has rolled back.
  std::optional<Refusal> admit(const StatementJudgement& statement, Instant now);
  // A statement has run and changed, or locked, so many rows, which count as so many bytes. If that
  // is too much it has failed after all.
  std::optional<Refusal> note_done(const StatementJudgement& statement, std::int64_t rows,
                                   std::int64_t bytes);
  // PostgreSQL has refused a statement, or there was a conflict.
  void note_failure();
  // Sync, or the end of a simple query: an implicit transaction commits, unless it is refused.
  std::optional<Refusal> end_of_message(Instant now);
  // It is over, whatever it was: the session was reset.
  void forget() { transaction_ = {}; }

  bool is_in_block() const { return transaction_.state == State::block || has_failed(); }
  bool is_open() const { return transaction_.state != State::idle; }
  // A block in which only COMMIT and ROLLBACK are left, and COMMIT answers ROLLBACK.
  bool has_failed() const { return transaction_.state == State::failed; }
  std::int64_t rows() const { return transaction_.rows; }

 private:
  enum class State : std::uint8_t { idle, implicit, block, failed };
  struct Transaction {
    State state = State::idle;
    Instant started_at{};
    bool has_ddl = false;
    bool has_dml = false;
    std::int64_t rows = 0;
    std::int64_t bytes = 0;
  };

  void start(State state, Instant now);
  std::optional<Refusal> failed(std::optional<Refusal> refusal);
  std::optional<Refusal> admit_commit(Instant now);
  std::optional<Refusal> mixed(const StatementJudgement& statement) const;
  std::optional<Refusal> too_old(Instant now) const;
  std::optional<Refusal> too_large() const;

  const RuleBook& book_;
  Transaction transaction_;
};

}  // namespace forebay::standin
