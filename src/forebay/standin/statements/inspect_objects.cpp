// DROP, RENAME, roles, schemas and rights.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/standin/statements/inspection.hpp"

namespace forebay::standin {
namespace {

using wire::SqlNode;
using wire::SqlStatement;

bool can_be_dropped(std::string_view object) {
  static constexpr auto kObjects = std::to_array<std::string_view>(
      {"OBJECT_TABLE", "OBJECT_SEQUENCE", "OBJECT_VIEW", "OBJECT_INDEX", "OBJECT_SCHEMA",
       "OBJECT_FUNCTION", "OBJECT_ROUTINE", "OBJECT_DOMAIN", "OBJECT_TRIGGER",
       "OBJECT_EVENT_TRIGGER", "OBJECT_STATISTIC_EXT"});
  return std::ranges::find(kObjects, object) != kObjects.end();
}

bool can_be_renamed(std::string_view object) {
  static constexpr auto kObjects = std::to_array<std::string_view>(
      {"OBJECT_TABLE", "OBJECT_COLUMN", "OBJECT_TABCONSTRAINT", "OBJECT_SEQUENCE", "OBJECT_VIEW",
       "OBJECT_INDEX", "OBJECT_SCHEMA", "OBJECT_FUNCTION", "OBJECT_ROUTINE", "OBJECT_DOMAIN",
       "OBJECT_DOMCONSTRAINT", "OBJECT_ROLE", "OBJECT_STATISTIC_EXT"});
  return std::ranges::find(kObjects, object) != kObjects.end();
}

void inspect_role(Inspection& inspection, const SqlNode& node) {
  for (const auto& option : node.field("options")) {
    if (option.node.field("DefElem").text("defname") == "password") inspection.refuse("alter_role");
  }
}

void inspect_role_setting(Inspection& inspection, const SqlNode& node) {
  const std::string_view kind = node.field("setstmt").text("kind");
  inspection.refuse_if(kind != "VAR_RESET" && kind != "VAR_RESET_ALL", "alter_role");
}

void inspect_grant(Inspection& inspection, const SqlNode& node) {
  if (node.text("objtype") != "OBJECT_SCHEMA") return;
  for (const auto& object : node.field("objects")) {
    const std::string_view schema = object.node.field("String").text("sval");
    inspection.refuse_if(schema == "public", "schema_public");
  }
}

// Those of the application.
constexpr std::string_view kOwnSchemas =
    "n.nspname <> 'information_schema' AND n.nspname <> 'sys' AND n.nspname NOT LIKE 'pg\\_%'";

// True as soon as there are so many relations.
std::string relations_guard(std::string_view kinds, int most) {
  return fmt::format(
      "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = "
      "c.relnamespace "
      "WHERE c.relkind IN ({}) AND {} HAVING count(*) >= {}",
      kinds, kOwnSchemas, most);
}

void guard_numbers(Inspection& inspection, std::string_view kind) {
  if (kind == "CreateStmt") {
    inspection.guard(relations_guard("'r'", 1000), "tables");
  } else if (kind == "ViewStmt") {
    inspection.guard(relations_guard("'v'", 5000), "views");
  } else if (kind == "CreateSeqStmt") {
    inspection.guard(relations_guard("'S'", 5000), "sequences");
  } else if (kind == "CreateSchemaStmt") {
    inspection.guard(
        fmt::format("SELECT 1 FROM pg_catalog.pg_namespace n WHERE {} AND n.nspname <> 'public' "
                    "HAVING count(*) >= 10",
                    kOwnSchemas),
        "schemas");
  }
}

}  // namespace

void inspect_objects(Inspection& inspection, const SqlStatement& statement) {
  const std::string_view kind = statement.kind;
  const SqlNode& node = statement.node;
  guard_numbers(inspection, kind);
  if (kind == "DropStmt") {
    inspection.refuse_if(!can_be_dropped(node.text("removeType")), "drop_object");
  } else if (kind == "RenameStmt") {
    inspection.refuse_if(!can_be_renamed(node.text("renameType")), "rename_object");
  } else if (kind == "CreateRoleStmt" || kind == "AlterRoleStmt") {
    inspect_role(inspection, node);
  } else if (kind == "AlterRoleSetStmt") {
    inspect_role_setting(inspection, node);
  } else if (kind == "GrantStmt") {
    inspect_grant(inspection, node);
  } else if (kind == "CreateSchemaStmt") {
    for (const auto& element : node.field("schemaElts")) {
      const SqlStatement inner{.kind = element.node.kind(), .node = element.node.inner()};
      inspect_table(inspection, inner);
    }
  }
}

}  // namespace forebay::standin
