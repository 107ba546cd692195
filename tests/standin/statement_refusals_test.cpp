// The table of refusals, and of what is accepted, against the rules.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "forebay/standin/statements/statement_rules.hpp"
#include "standin/accepted_statements.hpp"
#include "standin/refused_definitions.hpp"

namespace forebay::standin {
namespace {

using test::all_refused;
using test::RefusedStatement;

StatementRules rules_of(const std::string& date, std::set<std::string> off = {}) {
  return StatementRules(RuleBook(date, std::move(off), {}));
}

TEST(StatementRefusalsTest, EachIsRefusedInItsWords) {
  for (const RefusedStatement& refused : all_refused()) {
    const Judgement judgement = rules_of(refused.date).judge(refused.sql);

    ASSERT_EQ(judgement.statements.size(), 1u) << refused.sql;
    EXPECT_TRUE(judgement.is_understood) << refused.sql;
    const std::optional<Refusal>& refusal = judgement.statements.front().refusal;
    ASSERT_TRUE(refusal.has_value()) << refused.sql;
    EXPECT_EQ(refusal->rule, refused.rule) << refused.sql;
    EXPECT_EQ(refusal->sqlstate, refused.sqlstate) << refused.sql;
    EXPECT_EQ(refusal->message, refused.message) << refused.sql;
    EXPECT_EQ(refusal->detail + refusal->hint, "") << refused.sql;
  }
}

TEST(StatementRefusalsTest, WhatDsqlTakesIsNotRefused) {
  for (const test::AcceptedStatement& accepted : test::kAcceptedStatements) {
    const Judgement judgement = rules_of(accepted.date).judge(accepted.sql);

    ASSERT_EQ(judgement.statements.size(), 1u) << accepted.sql;
    EXPECT_TRUE(judgement.is_understood) << accepted.sql;
    const std::optional<Refusal>& refusal = judgement.statements.front().refusal;
    EXPECT_FALSE(refusal.has_value()) << accepted.sql << ": " << refusal->message;
  }
}

// With its rule off, a statement is accepted, or another rule refuses it.
TEST(StatementRefusalsTest, EachRuleCanBeTurnedOff) {
  for (const RefusedStatement& refused : all_refused()) {
    const StatementRules rules = rules_of(refused.date, {refused.rule});

    const Judgement judgement = rules.judge(refused.sql);

    const std::optional<Refusal>& refusal = judgement.statements.front().refusal;
    EXPECT_TRUE(!refusal || refusal->rule != refused.rule) << refused.sql;
  }
}

// Those of transactions and of the catalog have tests of their own.
TEST(StatementRefusalsTest, TheTableHasEveryRule) {
  std::set<std::string_view> missing;
  for (const RuleGroup& group : rule_groups()) {
    for (const Rule& rule : group.rules) missing.insert(rule.name);
  }
  for (const RefusedStatement& refused : all_refused()) missing.erase(refused.rule);

  EXPECT_EQ(missing, (std::set<std::string_view>{
                         "aborted_transaction", "ddl_and_dml", "drop_key_column", "multiple_ddl",
                         "schemas", "sequences", "table_indexes", "tables", "transaction_age",
                         "transaction_rows", "transaction_size", "views"}));
}

}  // namespace
}  // namespace forebay::standin
