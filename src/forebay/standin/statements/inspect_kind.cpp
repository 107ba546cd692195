// Statements that are refused for what they are.
#include <algorithm>
#include <array>
#include <utility>

#include "forebay/standin/statements/inspection.hpp"

namespace forebay::standin {
namespace {

using wire::SqlNode;
using wire::SqlStatement;

struct KindRule {
  std::string_view kind;
  std::string_view rule;
};

constexpr auto kKindRules = std::to_array<KindRule>({
    {"TruncateStmt", "truncate"},
    {"MergeStmt", "merge"},
    {"CreateExtensionStmt", "create_extension"},
    {"CreateTrigStmt", "create_trigger"},
    {"CreatedbStmt", "create_database"},
    {"CreateTableSpaceStmt", "create_tablespace"},
    {"CreateForeignTableStmt", "foreign_table"},
    {"CreateEnumStmt", "enum_type"},
    {"CompositeTypeStmt", "composite_type"},
    {"CreateRangeStmt", "range_type"},
    {"AlterEnumStmt", "alter_type"},
    {"AlterSystemStmt", "alter_system"},
    {"ListenStmt", "listen"},
    {"NotifyStmt", "notify"},
    {"UnlistenStmt", "unlisten"},
    {"LockStmt", "lock_table"},
    {"DeclareCursorStmt", "declare_cursor"},
    {"DiscardStmt", "discard"},
    {"PrepareStmt", "prepare"},
    {"AlterDefaultPrivilegesStmt", "default_privileges"},
    {"CreateStatsStmt", "statistics"},
    {"AlterFunctionStmt", "alter_function"},
});

// What DSQL's grammar has, or what is refused for what it says.
constexpr auto kKnownKinds = std::to_array<std::string_view>({"SelectStmt",
                                                              "InsertStmt",
                                                              "UpdateStmt",
                                                              "DeleteStmt",
                                                              "TransactionStmt",
                                                              "VariableSetStmt",
                                                              "VariableShowStmt",
                                                              "ExplainStmt",
                                                              "CopyStmt",
                                                              "CreateStmt",
                                                              "CreateSchemaStmt",
                                                              "ViewStmt",
                                                              "IndexStmt",
                                                              "CreateSeqStmt",
                                                              "AlterSeqStmt",
                                                              "CreateDomainStmt",
                                                              "AlterDomainStmt",
                                                              "CreateRoleStmt",
                                                              "AlterRoleStmt",
                                                              "AlterRoleSetStmt",
                                                              "DropRoleStmt",
                                                              "GrantStmt",
                                                              "GrantRoleStmt",
                                                              "AlterTableStmt",
                                                              "AlterObjectSchemaStmt",
                                                              "AlterObjectDependsStmt",
                                                              "AlterOwnerStmt",
                                                              "RenameStmt",
                                                              "CommentStmt",
                                                              "DropStmt",
                                                              "CreateFunctionStmt",
                                                              "VacuumStmt",
                                                              "ConstraintsSetStmt",
                                                              "DeallocateStmt",
                                                              "CallStmt",
                                                              "CreateTableAsStmt",
                                                              "AlterStatsStmt"});

// "ReindexStmt" is shown as "Reindex", as in the texts that are recorded.
std::string_view shown_kind(std::string_view kind) {
  if (kind.ends_with("Stmt")) kind.remove_suffix(4);
  return kind;
}

void inspect_table_as(Inspection& inspection, const SqlNode& node) {
  inspection.refuse(node.text("objtype") == "OBJECT_MATVIEW" ? "materialized_view"
                                                             : "create_table_as");
}

void inspect_copy(Inspection& inspection, const SqlNode& node) {
  if (!node.flag("is_program") && node.text("filename").empty()) return;
  inspection.refuse("copy_file", {node.flag("is_from") ? "FROM" : "TO",
                                  node.flag("is_program") ? "program" : "file"});
}

void inspect_function(Inspection& inspection, const SqlNode& node) {
  inspection.refuse_if(node.flag("is_procedure"), "procedure");
  for (const auto& option : node.field("options")) {
    const SqlNode element = option.node.field("DefElem");
    if (element.text("defname") != "language") continue;
    const std::string_view language = element.field("arg").field("String").text("sval");
    inspection.refuse_if(language != "sql", "function_language", {language});
  }
}

}  // namespace

void inspect_kind(Inspection& inspection, const SqlStatement& statement) {
  const auto* const found = std::ranges::find(kKindRules, statement.kind, &KindRule::kind);
  if (found != kKindRules.end()) return inspection.refuse(found->rule);
  const SqlNode& node = statement.node;
  if (statement.kind == "VacuumStmt") {
    inspection.refuse_if(node.flag("is_vacuumcmd"), "vacuum");
  } else if (statement.kind == "CreateTableAsStmt") {
    inspect_table_as(inspection, node);
  } else if (statement.kind == "DeallocateStmt") {
    inspection.refuse_if(!node.text("name").empty(), "deallocate");
  } else if (statement.kind == "CopyStmt") {
    inspect_copy(inspection, node);
  } else if (statement.kind == "CreateFunctionStmt") {
    inspect_function(inspection, node);
  } else if (statement.kind == "ExplainStmt") {
    const SqlNode query = node.field("query");
    inspect_kind(inspection, {.kind = query.kind(), .node = query.inner()});
  } else if (std::ranges::find(kKnownKinds, statement.kind) == kKnownKinds.end()) {
    inspection.refuse("statement_kind", {shown_kind(statement.kind)});
  }
}

}  // namespace forebay::standin
