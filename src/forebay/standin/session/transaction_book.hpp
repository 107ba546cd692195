// TransactionBook: what one session has done in its transaction, and what it may do next. Pure.
//
// What a transaction may do by itself is for TransactionRules to say; here comes what depends on
// others, and on chance:
//
//   since it began, or before       then                  answer
//   another's DDL has committed     a query, COMMIT       40001 … (OC001), once: then it is known
//   it has written                  COMMIT, by chance     40001 … (OC000)
//
// The book is about what was sent; ready() sets it right by what the server says.
#pragma once

#include <cstdint>
#include <optional>

#include "forebay/env/time.hpp"
#include "forebay/standin/chaos.hpp"
#include "forebay/standin/session/catalog.hpp"
#include "forebay/standin/statements/transaction_rules.hpp"
#include "forebay/wire/protocol/server_messages.hpp"

namespace forebay::standin {

Refusal data_conflict();
Refusal schema_conflict();

// What the transactions of all sessions share. All of it outlives them.
struct TransactionWorld {
  const RuleBook& rules;
  Catalog& catalog;
  Chaos& chaos;
  bool has_schema_conflicts;  // whether sessions hear of each other's DDL
};

class TransactionBook {
 public:
  explicit TransactionBook(const TransactionWorld& world)
      : world_(&world), rules_(world.rules), seen_(world.catalog.version()) {}

  // Before a statement goes to the server: why it must fail instead, if it must. Of COMMIT that
  // means: the transaction is rolled back.
  std::optional<Refusal> take(const StatementJudgement& statement, Instant now);
  // An implicit transaction ends: a simple query does, or a Sync was sent.
  void end_unit(Instant now);
  // The server refused a statement: its transaction is dead.
  void note_error() { has_pending_ddl_ = false; }
  // The server has answered everything, and said so.
  void ready(wire::TransactionStatus status);
  // What was taken did not go to the server; but what the session has seen, it has seen.
  void put_back(const TransactionBook& before);

  bool is_in_block() const { return rules_->is_in_block(); }
  bool has_ddl() const { return has_pending_ddl_; }

 private:
  std::optional<Refusal> take_commit(const StatementJudgement& statement, Instant now);
  bool is_schema_new();
  void forget_deeds();

  const TransactionWorld* world_;
  std::optional<TransactionRules> rules_;  // always there; it can be copied, but not assigned
  std::uint64_t seen_;                     // of the catalog
  bool has_touched_ = false;               // a table, so that the schema matters
  bool has_written_ = false;
  bool has_pending_ddl_ = false;  // sent, and not known to be committed
};

}  // namespace forebay::standin
