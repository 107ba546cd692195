// ALTER TABLE.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/standin/statements/column_types.hpp"
#include "forebay/standin/statements/inspection.hpp"

namespace forebay::standin {
namespace {

using wire::SqlNode;
using wire::SqlStatement;

struct AlterRule {
  std::string_view change;  // the parser's word
  std::string_view rule;    // empty: DSQL has it
  std::string_view words;
};

// What is not in here is refused, too, by the parser's word.
constexpr auto kAlterRules = std::to_array<AlterRule>({
    {"AT_AddColumn", "", ""},
    {"AT_AddConstraint", "", ""},
    {"AT_ValidateConstraint", "", ""},
    {"AT_ChangeOwner", "", ""},
    {"AT_SetStorage", "", ""},
    {"AT_DropExpression", "", ""},
    {"AT_SetIdentity", "", ""},
    {"AT_DropIdentity", "", ""},
    {"AT_AlterConstraint", "", ""},
    {"AT_EnableTrig", "", ""},
    {"AT_EnableAlwaysTrig", "", ""},
    {"AT_EnableReplicaTrig", "", ""},
    {"AT_DisableTrig", "", ""},
    {"AT_EnableTrigAll", "", ""},
    {"AT_DisableTrigAll", "", ""},
    {"AT_EnableTrigUser", "", ""},
    {"AT_DisableTrigUser", "", ""},
    {"AT_DropColumn", "drop_column", ""},
    {"AT_DropConstraint", "drop_constraint", ""},
    {"AT_DropNotNull", "column_default", "DROP NOT NULL"},
    {"AT_AlterColumnType", "set_data_type", ""},
    {"AT_SetStatistics", "set_statistics", ""},
    {"AT_SetNotNull", "alter_column", "SET NOT NULL"},
    {"AT_AddIdentity", "alter_column", "ADD GENERATED"},
    {"AT_SetCompression", "alter_column", "SET COMPRESSION"},
    {"AT_SetOptions", "alter_column", "SET"},
    {"AT_ResetOptions", "alter_column", "RESET"},
    {"AT_EnableRowSecurity", "alter_table", "ENABLE ROW LEVEL SECURITY"},
    {"AT_DisableRowSecurity", "alter_table", "DISABLE ROW LEVEL SECURITY"},
    {"AT_ForceRowSecurity", "alter_table", "FORCE ROW LEVEL SECURITY"},
    {"AT_NoForceRowSecurity", "alter_table", "NO FORCE ROW LEVEL SECURITY"},
    {"AT_ReplicaIdentity", "alter_table", "REPLICA IDENTITY"},
    {"AT_EnableRule", "alter_table", "ENABLE RULE"},
    {"AT_EnableAlwaysRule", "alter_table", "ENABLE ALWAYS RULE"},
    {"AT_EnableReplicaRule", "alter_table", "ENABLE REPLICA RULE"},
    {"AT_DisableRule", "alter_table", "DISABLE RULE"},
    {"AT_ClusterOn", "alter_table", "CLUSTER ON"},
    {"AT_DropCluster", "alter_table", "SET WITHOUT CLUSTER"},
    {"AT_SetLogged", "alter_table", "SET LOGGED"},
    {"AT_SetUnLogged", "alter_table", "SET UNLOGGED"},
    {"AT_SetAccessMethod", "alter_table", "SET ACCESS METHOD"},
    {"AT_SetTableSpace", "alter_table", "SET TABLESPACE"},
    {"AT_SetRelOptions", "alter_table", "SET"},
    {"AT_ResetRelOptions", "alter_table", "RESET"},
    {"AT_AddInherit", "alter_table", "INHERIT"},
    {"AT_DropInherit", "alter_table", "NO INHERIT"},
    {"AT_AddOf", "alter_table", "OF"},
    {"AT_DropOf", "alter_table", "NOT OF"},
    {"AT_AttachPartition", "alter_table", "ATTACH PARTITION"},
    {"AT_DetachPartition", "alter_table", "DETACH PARTITION"},
});

void inspect_new_column(Inspection& inspection, const SqlNode& column) {
  const bool is_plain = column.field("constraints").size() == 0 && !column.field("collClause");
  inspection.refuse_if(!is_plain, "add_column_constraint");
  inspect_type(inspection, ColumnType(column.field("typeName")));
}

void inspect_new_constraint(Inspection& inspection, const SqlNode& constraint) {
  const std::string_view kind = constraint.text("contype");
  // By then all of them were refused.
  static constexpr std::string_view kChecksSince = "2026-08-03";
  const bool is_later =
      constraint.flag("skip_validation") && (kind == "CONSTR_CHECK" || kind == "CONSTR_FOREIGN");
  const bool adopts_index = kind == "CONSTR_UNIQUE" && !constraint.text("indexname").empty();
  const bool is_accepted = (is_later || adopts_index) && inspection.book().date() >= kChecksSince;
  inspection.refuse_if(!is_accepted, "add_constraint");
  inspection.refuse_if(kind == "CONSTR_FOREIGN", "foreign_key");
}

void guard_key_column(Inspection& inspection, const SqlNode& relation, std::string_view column) {
  inspection.guard(fmt::format("SELECT 1 FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute a "
                               "ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) "
                               "WHERE i.indisprimary AND i.indrelid = {} AND a.attname = {}",
                               oid_of(relation), sql_text(column)),
                   "drop_key_column", {column});
}

void inspect_change(Inspection& inspection, const SqlNode& relation, const SqlNode& command) {
  const std::string_view change = command.text("subtype");
  if (change == "AT_AddColumn")
    inspect_new_column(inspection, command.field("def").field("ColumnDef"));
  if (change == "AT_AddConstraint")
    inspect_new_constraint(inspection, command.field("def").field("Constraint"));
  if (change == "AT_ValidateConstraint")
    inspection.refuse_if(!inspection.says_async(), "validate_constraint");
  if (change == "AT_DropColumn") guard_key_column(inspection, relation, command.text("name"));
  if (change == "AT_ColumnDefault")
    return inspection.refuse("column_default",
                             {command.field("def") ? "SET DEFAULT" : "DROP DEFAULT"});
  const auto* const known = std::ranges::find(kAlterRules, change, &AlterRule::change);
  if (known == kAlterRules.end()) {
    inspection.refuse("alter_table", {change.substr(std::string_view("AT_").size())});
  } else if (!known->rule.empty()) {
    inspection.refuse(known->rule, {known->words});
  }
}

}  // namespace

void inspect_alteration(Inspection& inspection, const SqlStatement& statement) {
  if (statement.kind != "AlterTableStmt") return;
  const SqlNode relation = statement.node.field("relation");
  for (const auto& command : statement.node.field("cmds"))
    inspect_change(inspection, relation, command.node.field("AlterTableCmd"));
  if (inspection.says_async())
    inspection.verdict().job_sql = fmt::format(
        "SELECT * FROM sys.note_job('VALIDATE_CONSTRAINT', {}, NULL)", oid_of(relation));
}

}  // namespace forebay::standin
