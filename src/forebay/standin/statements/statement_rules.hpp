// StatementRules: reads what clients send as DSQL would, and says of each statement what it is,
// what PostgreSQL is to run in its place, and whether it is refused.
//
// Reads with PostgreSQL's own parser. What the parser cannot read is left to PostgreSQL: a syntax
// error is its to report. Pure, and the same for every session; what depends on the transaction is
// for TransactionRules.
#pragma once

#include <optional>
#include <string_view>

#include "forebay/standin/statements/judgement.hpp"
#include "forebay/standin/statements/rule_book.hpp"

namespace forebay::standin {

class StatementRules {
 public:
  explicit StatementRules(RuleBook book);

  // A text of several statements has several judgements. An empty one has none.
  Judgement judge(std::string_view sql) const;

  // A parameter that a start-up packet sets.
  std::optional<Refusal> refuse_parameter(std::string_view name) const;

  const RuleBook& book() const { return book_; }

 private:
  RuleBook book_;
};

}  // namespace forebay::standin
