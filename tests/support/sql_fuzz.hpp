// What must hold of the stand-in's judge of SQL for any bytes whatsoever. libFuzzer calls this with
// what it invents (tests/fuzz), the ordinary tests with what is kept in tests/fuzz/corpus.
#pragma once

#include <string_view>
#include <vector>

#include "forebay/detail/base/check.hpp"
#include "forebay/standin/statements/dsql_grammar.hpp"
#include "forebay/standin/statements/sql_scanner.hpp"
#include "forebay/standin/statements/statement_rules.hpp"

namespace forebay::test {

inline void fuzz_standin_sql(std::string_view sql) {
  static const standin::StatementRules kRules{standin::RuleBook()};
  const std::vector<standin::SqlToken> tokens = standin::scan_sql(sql);
  std::size_t last = 0;
  for (const standin::SqlToken& token : tokens) {
    FOREBAY_CHECK(token.begin >= last && token.end > token.begin && token.end <= sql.size());
    last = token.end;
  }
  FOREBAY_CHECK(standin::without_dsql_forms(sql, tokens).sql.size() == sql.size());
  FOREBAY_CHECK(standin::without_comments(sql, tokens).size() == sql.size());
  FOREBAY_CHECK(standin::nesting_of(tokens, sql) <= tokens.size());

  const standin::Judgement judgement = kRules.judge(sql);
  FOREBAY_CHECK(judgement.is_understood || judgement.statements.size() == 1);
  for (const standin::StatementJudgement& statement : judgement.statements) {
    FOREBAY_CHECK(statement.begin <= sql.size());
    FOREBAY_CHECK(!statement.refusal || statement.refusal->sqlstate.size() == 5);
    FOREBAY_CHECK(statement.iam_grant.has_value() == !statement.tag.empty());
    // What is handed on can be read, and stands for one statement. The parser has not seen names
    // and texts of a grant, which may be no UTF-8.
    const standin::Judgement again = kRules.judge(statement.sql);
    FOREBAY_CHECK(statement.iam_grant || again.is_understood == judgement.is_understood,
                  statement.sql);
    FOREBAY_CHECK(again.statements.size() == 1 && !again.statements.front().iam_grant);
  }
}

}  // namespace forebay::test
