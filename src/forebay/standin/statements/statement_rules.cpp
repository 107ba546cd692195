#include "forebay/standin/statements/statement_rules.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/standin/statements/dsql_grammar.hpp"
#include "forebay/standin/statements/inspection.hpp"
#include "forebay/standin/statements/parameters.hpp"
#include "forebay/standin/statements/sql_scanner.hpp"
#include "forebay/standin/statements/statement_kinds.hpp"
#include "forebay/wire/sql_tree.hpp"

namespace forebay::standin {
namespace {

using wire::SqlStatement;

// A tree is fifty times as large as its text. Larger texts are loads, which PostgreSQL may judge.
constexpr std::size_t kLongestText = 1024 * 1024;
// The parser goes as deep as a text is nested, on the stack of a thread.
constexpr std::size_t kDeepestNesting = 4000;

Judgement unread(std::string sql, const std::vector<SqlToken>& tokens) {
  Judgement judgement;
  judgement.is_understood = false;
  StatementJudgement& statement = judgement.statements.emplace_back();
  statement.kind = kind_by_words(tokens, sql);
  statement.sql = std::move(sql);
  return judgement;
}

void judge_iam_grant(const IamGrant& grant, StatementJudgement& verdict) {
  verdict.kind = StatementKind::iam_grant;
  verdict.iam_grant = grant;
  verdict.tag = grant.is_revoke ? "AWS IAM REVOKE" : "AWS IAM GRANT";
  verdict.sql = fmt::format("SELECT sys.{}({}, {})", grant.is_revoke ? "iam_revoke" : "iam_grant",
                            sql_text(grant.role), sql_text(grant.arn));
}

void judge_plain(const RuleBook& book, const SqlStatement& statement, bool says_async,
                 StatementJudgement& verdict) {
  verdict.kind = kind_of(statement);
  if (says_async && statement.kind == "IndexStmt") verdict.kind = StatementKind::index_async;
  Inspection inspection(book, verdict, says_async);
  inspect_kind(inspection, statement);
  inspect_session(inspection, statement);
  inspect_objects(inspection, statement);
  inspect_table(inspection, statement);
  inspect_alteration(inspection, statement);
  inspect_index(inspection, statement);
  inspect_parts(inspection, statement);
  const bool is_setting =
      statement.kind == "VariableSetStmt" || statement.kind == "VariableShowStmt";
  if (is_setting && is_same_name(statement.node.text("name"), kOwnParameter))
    verdict.sql = with_own_parameter(verdict.sql);
}

}  // namespace

StatementRules::StatementRules(RuleBook book) : book_(std::move(book)) {}

Judgement StatementRules::judge(std::string_view sql) const {
  const std::vector<SqlToken> tokens = scan_sql(sql);
  PlainSql plain = without_dsql_forms(sql, tokens);
  if (sql.size() > kLongestText || nesting_of(tokens, sql) > kDeepestNesting)
    return unread(std::move(plain.sql), tokens);
  const wire::SqlTree tree(without_dsql_forms(without_comments(sql, tokens), tokens).sql);
  if (!tree.is_read()) return unread(std::move(plain.sql), tokens);

  Judgement judgement;
  for (const SqlStatement& statement : tree.statements()) {
    StatementJudgement& verdict = judgement.statements.emplace_back();
    verdict.begin = statement.begin;
    verdict.sql = plain.sql.substr(statement.begin, statement.length);
    const auto form = std::ranges::find_if(plain.forms, [&](const DsqlForm& candidate) {
      return candidate.place >= statement.begin &&
             candidate.place < statement.begin + statement.length;
    });
    if (form != plain.forms.end() && form->iam_grant) {
      judge_iam_grant(*form->iam_grant, verdict);
    } else {
      judge_plain(book_, statement, form != plain.forms.end(), verdict);
    }
  }
  return judgement;
}

std::optional<Refusal> StatementRules::refuse_parameter(std::string_view name) const {
  if (is_same_name(name, "role")) return book_.refusal("set_role");
  return is_allowed_parameter(name) ? std::nullopt : book_.refusal("parameter", {name});
}

}  // namespace forebay::standin
