#include "forebay/standin/statements/statement_kinds.hpp"

#include <algorithm>
#include <array>

namespace forebay::standin {
namespace {

using wire::SqlNode;
using wire::SqlStatement;
using enum StatementKind;

struct NamedKind {
  std::string_view name;
  StatementKind kind;
};

constexpr auto kByTree = std::to_array<NamedKind>({
    {"InsertStmt", dml},
    {"UpdateStmt", dml},
    {"DeleteStmt", dml},
    {"MergeStmt", dml},
    {"VariableSetStmt", set},
    {"VariableShowStmt", show},
    {"GrantStmt", ddl},
    {"GrantRoleStmt", ddl},
    {"CommentStmt", ddl},
    {"IndexStmt", ddl},
    {"ViewStmt", ddl},
    {"RenameStmt", ddl},
    {"TruncateStmt", ddl},
    {"CompositeTypeStmt", ddl},
    {"DefineStmt", ddl},
    {"RuleStmt", ddl},
});

constexpr auto kByWord = std::to_array<NamedKind>({
    {"select", select},     {"values", select},  {"table", select},  {"with", select},
    {"insert", dml},        {"update", dml},     {"delete", dml},    {"merge", dml},
    {"copy", dml},          {"create", ddl},     {"alter", ddl},     {"drop", ddl},
    {"grant", ddl},         {"revoke", ddl},     {"comment", ddl},   {"truncate", ddl},
    {"begin", begin},       {"start", begin},    {"commit", commit}, {"end", commit},
    {"rollback", rollback}, {"abort", rollback}, {"set", set},       {"reset", set},
    {"show", show},
});

StatementKind kind_of_transaction(std::string_view kind) {
  if (kind == "TRANS_STMT_BEGIN" || kind == "TRANS_STMT_START") return begin;
  if (kind == "TRANS_STMT_COMMIT") return commit;
  return kind == "TRANS_STMT_ROLLBACK" ? rollback : other;
}

// In a WITH, say.
bool writes_within(std::string_view kind, const SqlNode& node) {
  if (kind == "InsertStmt" || kind == "UpdateStmt" || kind == "DeleteStmt") return true;
  for (const auto& part : node)
    if (writes_within(part.name, part.node)) return true;
  return false;
}

bool runs_what_it_explains(const SqlNode& explain) {
  for (const auto& option : explain.field("options"))
    if (option.node.field("DefElem").text("defname") == "analyze") return true;
  return false;
}

}  // namespace

StatementKind kind_of(const SqlStatement& statement) {
  const std::string_view kind = statement.kind;
  const SqlNode& node = statement.node;
  if (kind == "TransactionStmt") return kind_of_transaction(node.text("kind"));
  if (kind == "SelectStmt") return writes_within(kind, node) ? dml : select;
  if (kind == "ExplainStmt")
    return runs_what_it_explains(node) && writes_within(kind, node) ? dml : select;
  if (kind == "CopyStmt") return node.flag("is_from") ? dml : select;
  const auto* const known = std::ranges::find(kByTree, kind, &NamedKind::name);
  if (known != kByTree.end()) return known->kind;
  const bool is_ddl =
      kind.starts_with("Create") || kind.starts_with("Alter") || kind.starts_with("Drop");
  return is_ddl ? ddl : other;
}

StatementKind kind_by_words(const std::vector<SqlToken>& tokens, std::string_view sql) {
  for (const NamedKind& known : kByWord)
    if (!tokens.empty() && is_word(tokens.front(), sql, known.name)) return known.kind;
  return other;
}

}  // namespace forebay::standin
