// CREATE INDEX.
#include <string>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/standin/statements/inspection.hpp"

namespace forebay::standin {
namespace {

using wire::SqlNode;
using wire::SqlStatement;

constexpr std::size_t kMostKeys = 8;

void inspect_mode(Inspection& inspection, const SqlNode& node) {
  inspection.refuse_if(node.flag("concurrent"), "concurrent_index");
  inspection.refuse_if(!inspection.says_async(), "sync_index");
  const auto refuse = [&](bool is_there, std::string_view clause) {
    inspection.refuse_if(is_there, "index_clause", {clause});
  };
  const std::string_view method = node.text("accessMethod");
  refuse(method != "btree", fmt::format("USING {}", method));
  refuse(node.field("options").size() > 0, "WITH");
  refuse(!node.text("tableSpace").empty(), "TABLESPACE");
}

void inspect_keys(Inspection& inspection, const SqlNode& node) {
  const SqlNode keys = node.field("indexParams");
  for (const auto& part : keys) {
    const SqlNode key = part.node.field("IndexElem");
    inspection.refuse_if(key.text("ordering") != "SORTBY_DEFAULT", "index_order");
    inspection.refuse_if(key.field("opclass").size() > 0, "index_operator_class");
    inspection.refuse_if(static_cast<bool>(key.field("expr")), "index_expression");
  }
  inspection.refuse_if(static_cast<bool>(node.field("whereClause")), "partial_index");
  inspection.refuse_if(keys.size() > kMostKeys, "key_columns");
}

void guard_key_types(Inspection& inspection, const SqlNode& node) {
  std::string columns;
  for (const auto& part : node.field("indexParams")) {
    const std::string_view name = part.node.field("IndexElem").text("name");
    if (!name.empty()) columns += (columns.empty() ? "" : ", ") + sql_text(name);
  }
  if (columns.empty()) return;
  for (const std::string_view type : {"json", "jsonb"}) {
    inspection.guard(fmt::format("SELECT 1 FROM pg_catalog.pg_attribute a WHERE a.attrelid = {} "
                                 "AND a.attname IN ({}) AND a.atttypid = 'pg_catalog.{}'::regtype",
                                 oid_of(node.field("relation")), columns, type),
                     "key_type", {type});
  }
}

void guard_number(Inspection& inspection, const SqlNode& relation) {
  inspection.guard(fmt::format("SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = {} "
                               "HAVING count(*) >= 24",
                               oid_of(relation)),
                   "table_indexes");
}

}  // namespace

void inspect_index(Inspection& inspection, const SqlStatement& statement) {
  if (statement.kind != "IndexStmt") return;
  const SqlNode& node = statement.node;
  inspect_mode(inspection, node);
  inspect_keys(inspection, node);
  guard_key_types(inspection, node);
  guard_number(inspection, node.field("relation"));
  if (!inspection.says_async()) return;
  const std::string_view name = node.text("idxname");
  inspection.verdict().job_sql =
      fmt::format("SELECT * FROM sys.note_job('INDEX_BUILD', {}, {})",
                  oid_of(node.field("relation")), name.empty() ? "NULL" : sql_text(name));
}

}  // namespace forebay::standin
