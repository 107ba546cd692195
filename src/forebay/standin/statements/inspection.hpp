// Inspection: one statement's tree, compared with the rules. The first rule that it breaks is the
// one that counts. Inside the folder only; StatementRules is for others.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "forebay/standin/statements/column_types.hpp"
#include "forebay/standin/statements/judgement.hpp"
#include "forebay/standin/statements/rule_book.hpp"
#include "forebay/wire/sql_tree.hpp"

namespace forebay::standin {

class Inspection {
 public:
  Inspection(const RuleBook& book, StatementJudgement& verdict, bool says_async)
      : book_(book), verdict_(verdict), says_async_(says_async) {}

  // Nothing happens if the rule is off, or another has refused it already.
  void refuse(std::string_view rule, std::initializer_list<std::string_view> values = {});
  void refuse_if(bool is_broken, std::string_view rule,
                 std::initializer_list<std::string_view> values = {}) {
    if (is_broken) refuse(rule, values);
  }
  // PostgreSQL is asked before.
  void guard(std::string sql, std::string_view rule,
             std::initializer_list<std::string_view> values = {});

  const RuleBook& book() const { return book_; }
  StatementJudgement& verdict() { return verdict_; }
  bool says_async() const { return says_async_; }

 private:
  const RuleBook& book_;
  StatementJudgement& verdict_;
  const bool says_async_;
};

// Each looks at the statements that it knows.
void inspect_kind(Inspection& inspection, const wire::SqlStatement& statement);
void inspect_session(Inspection& inspection, const wire::SqlStatement& statement);
void inspect_objects(Inspection& inspection, const wire::SqlStatement& statement);
void inspect_table(Inspection& inspection, const wire::SqlStatement& statement);
void inspect_alteration(Inspection& inspection, const wire::SqlStatement& statement);
void inspect_index(Inspection& inspection, const wire::SqlStatement& statement);
// What may stand anywhere in a tree; also which tables are written and whether rows are locked.
void inspect_parts(Inspection& inspection, const wire::SqlStatement& statement);

// Used by several of them.
void inspect_type(Inspection& inspection, const ColumnType& type);
std::string table_name(const wire::SqlNode& relation);  // "s.t"
// An SQL expression for the oid of a relation, or NULL.
std::string oid_of(const wire::SqlNode& relation);
std::string sql_text(std::string_view text);  // 'it''s'

}  // namespace forebay::standin
