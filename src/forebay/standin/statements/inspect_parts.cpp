// What matters wherever it stands in a statement: functions, locking clauses, samples, and what is
// written.
#include <algorithm>
#include <array>
#include <string>

#include "forebay/standin/statements/inspection.hpp"
#include "forebay/standin/statements/parameters.hpp"

namespace forebay::standin {
namespace {

using wire::SqlNode;
using wire::SqlPart;
using wire::SqlStatement;

constexpr auto kTextSearch = std::to_array<std::string_view>(
    {"to_tsvector", "to_tsquery", "plainto_tsquery", "phraseto_tsquery", "websearch_to_tsquery",
     "ts_headline", "json_to_tsvector", "jsonb_to_tsvector"});
constexpr auto kGeometry =
    std::to_array<std::string_view>({"box", "circle", "line", "lseg", "path", "point", "polygon"});

// The text of a constant. Empty: it is none.
std::string_view constant_of(const SqlNode& argument) {
  const SqlNode cast = argument.field("TypeCast").field("arg");
  return (cast ? cast : argument).field("A_Const").field("sval").text("sval");
}

void inspect_call(Inspection& inspection, const SqlNode& call) {
  const std::string name = wire::dotted_name(call.field("funcname"));
  std::string_view builtin = name;
  static constexpr std::string_view kCatalog = "pg_catalog.";
  if (builtin.starts_with(kCatalog)) builtin.remove_prefix(kCatalog.size());
  const SqlNode arguments = call.field("args");
  if (builtin.starts_with("pg_advisory_") || builtin.starts_with("pg_try_advisory_")) {
    inspection.refuse("advisory_lock", {builtin});
  } else if (std::ranges::find(kTextSearch, builtin) != kTextSearch.end()) {
    const std::string_view configuration =
        arguments.size() > 1 ? constant_of(arguments.item(0)) : std::string_view();
    inspection.refuse("text_search", {configuration.empty() ? "english" : configuration});
  } else if (std::ranges::find(kGeometry, builtin) != kGeometry.end()) {
    inspection.refuse("geometry", {builtin});
  } else if (builtin == "set_config") {
    const std::string_view parameter = constant_of(arguments.item(0));
    inspection.refuse_if(!parameter.empty() && !is_allowed_parameter(parameter), "parameter",
                         {parameter});
  }
}

void inspect_locks(Inspection& inspection, const SqlNode& select) {
  const SqlNode clauses = select.field("lockingClause");
  if (!clauses) return;
  for (const auto& part : clauses) {
    const std::string_view strength = part.node.field("LockingClause").text("strength");
    inspection.verdict().locks_rows = true;
    static constexpr std::string_view kKeyShareSince = "2026-08-25";
    const bool is_known =
        strength == "LCS_FORUPDATE" ||
        (strength == "LCS_FORKEYSHARE" && inspection.book().date() >= kKeyShareSince);
    inspection.refuse_if(!is_known, "locking_clause");
  }
  const SqlNode tables = select.field("fromClause");
  inspection.refuse_if(tables.size() > 1 || tables.item(0).kind() == "JoinExpr", "locking_tables");
  inspection.refuse_if(!select.field("whereClause"), "locking_key");
}

void note_written(Inspection& inspection, const SqlNode& relation) {
  StatementJudgement& verdict = inspection.verdict();
  std::string name = table_name(relation);
  if (!name.empty() && std::ranges::find(verdict.writes, name) == verdict.writes.end())
    verdict.writes.push_back(std::move(name));
}

bool is_write(std::string_view kind) {
  return kind == "InsertStmt" || kind == "UpdateStmt" || kind == "DeleteStmt" ||
         kind == "MergeStmt";
}

// The sides of a UNION are not called SelectStmt, so those are known by what they have.
void inspect_part(Inspection& inspection, std::string_view kind, const SqlNode& node) {
  inspect_locks(inspection, node);
  inspection.refuse_if(static_cast<bool>(node.field("intoClause")), "select_into");
  if (kind == "FuncCall") {
    inspect_call(inspection, node);
  } else if (kind == "RangeTableSample") {
    inspection.refuse("tablesample");
  } else if (is_write(kind)) {
    note_written(inspection, node.field("relation"));
  }
  for (const SqlPart& part : node) inspect_part(inspection, part.name, part.node);
}

// Those that DDL changes; nothing for what is no relation.
void note_changed(Inspection& inspection, const SqlStatement& statement) {
  const SqlNode& node = statement.node;
  note_written(inspection, node.field("relation"));
  const std::string_view dropped = node.text("removeType");
  if (dropped != "OBJECT_TABLE" && dropped != "OBJECT_VIEW" && dropped != "OBJECT_INDEX") return;
  for (const SqlPart& object : node.field("objects"))
    inspection.verdict().writes.push_back(
        wire::dotted_name(object.node.field("List").field("items")));
}

}  // namespace

void inspect_parts(Inspection& inspection, const SqlStatement& statement) {
  inspect_part(inspection, statement.kind, statement.node);
  const bool is_copied_into = statement.kind == "CopyStmt" && statement.node.flag("is_from");
  if (is_copied_into) note_written(inspection, statement.node.field("relation"));
  if (is_ddl(inspection.verdict().kind)) note_changed(inspection, statement);
}

}  // namespace forebay::standin
