// CREATE TABLE, CREATE VIEW and CREATE SEQUENCE.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "forebay/standin/statements/column_types.hpp"
#include "forebay/standin/statements/inspection.hpp"

namespace forebay::standin {
namespace {

using wire::SqlNode;
using wire::SqlStatement;

constexpr std::int64_t kLeastCache = 65'536;
constexpr std::size_t kMostKeyColumns = 8;
constexpr std::size_t kMostColumns = 256;
constexpr std::int64_t kLongestChar = 4'096;
constexpr std::int64_t kLongestVarchar = 65'535;
constexpr std::int64_t kLongestKey = 2'000;

// An option of a sequence. Nothing: it is not given.
SqlNode option_of(const SqlNode& options, std::string_view name) {
  for (const auto& option : options) {
    const SqlNode element = option.node.field("DefElem");
    if (element.text("defname") == name) return element.field("arg");
  }
  return {};
}

bool has_right_cache(const SqlNode& options) {
  const SqlNode cache = option_of(options, "cache");
  const SqlNode number = cache.field("Integer");
  // Larger than an int it comes as a text.
  if (cache && !number) return true;
  return number && (number.number("ival") == 1 || number.number("ival") >= kLeastCache);
}

void inspect_sequence(Inspection& inspection, const SqlNode& node) {
  inspection.refuse_if(node.field("sequence").text("relpersistence") == "t", "temporary_sequence");
  inspection.refuse("sequence");
  const SqlNode options = node.field("options");
  inspection.refuse_if(!has_right_cache(options), "sequence_cache");
  if (const SqlNode type_name = option_of(options, "as").field("TypeName")) {
    const ColumnType type(type_name);
    inspection.refuse_if(type.name != "int8", "sequence_type", {type.shown});
  }
}

void inspect_clauses(Inspection& inspection, const SqlNode& node) {
  const std::string_view persistence = node.field("relation").text("relpersistence");
  inspection.refuse_if(persistence == "t", "temporary_table");
  inspection.refuse_if(persistence == "u", "unlogged_table");
  const auto refuse = [&](bool is_there, std::string_view clause) {
    inspection.refuse_if(is_there, "table_clause", {clause});
  };
  refuse(static_cast<bool>(node.field("partbound")), "PARTITION OF");
  refuse(static_cast<bool>(node.field("partspec")), "PARTITION BY");
  refuse(node.field("inhRelations").size() > 0, "INHERITS");
  refuse(static_cast<bool>(node.field("ofTypename")), "OF");
  refuse(!node.text("accessMethod").empty(), "USING");
  refuse(node.field("options").size() > 0, "WITH");
  refuse(node.text("oncommit") != "ONCOMMIT_NOOP", "ON COMMIT");
  refuse(!node.text("tablespacename").empty(), "TABLESPACE");
}

// Looks at the columns and constraints of one table, in their order.
class TableInspector {
 public:
  explicit TableInspector(Inspection& inspection) : inspection_(inspection) {}

  void inspect(const SqlNode& elements) {
    for (const auto& element : elements) {
      if (const SqlNode column = element.node.field("ColumnDef")) inspect_column(column);
      if (const SqlNode constraint = element.node.field("Constraint"))
        inspect_constraint(constraint, {});
    }
    inspection_.refuse_if(types_.size() > kMostColumns,
                          has_primary_key_ ? "table_columns_with_key" : "table_columns");
  }

 private:
  void inspect_column(const SqlNode& column) {
    const std::string name(column.text("colname"));
    const ColumnType type(column.field("typeName"));
    types_.emplace(name, type);
    inspect_type(inspection_, type);
    inspect_collation(inspection_, column);
    std::string_view last;
    for (const auto& part : column.field("constraints")) {
      const SqlNode constraint = part.node.field("Constraint");
      const std::string_view kind = constraint.text("contype");
      if (kind == "CONSTR_IDENTITY") inspect_identity(constraint, type);
      if (kind == "CONSTR_ATTR_DEFERRABLE") refuse_deferrable(last);
      inspect_constraint(constraint, name);
      if (!kind.starts_with("CONSTR_ATTR")) last = kind;
    }
  }

  void inspect_identity(const SqlNode& constraint, const ColumnType& type) {
    inspection_.refuse("identity");
    inspection_.refuse_if(!has_right_cache(constraint.field("options")), "identity_cache");
    inspection_.refuse_if(type.name != "int8", "identity_type", {type.shown});
  }

  // Of a column, or of the table: then the name is empty.
  void inspect_constraint(const SqlNode& constraint, const std::string& column) {
    const std::string_view kind = constraint.text("contype");
    inspection_.refuse_if(kind == "CONSTR_FOREIGN", "foreign_key");
    inspection_.refuse_if(kind == "CONSTR_EXCLUSION", "exclusion_constraint");
    if (constraint.flag("deferrable")) refuse_deferrable(kind);
    if (kind != "CONSTR_PRIMARY" && kind != "CONSTR_UNIQUE") return;
    has_primary_key_ |= kind == "CONSTR_PRIMARY";
    std::vector<std::string> key;
    if (!column.empty()) key.push_back(column);
    for (const auto& part : constraint.field("keys"))
      key.emplace_back(part.node.field("String").text("sval"));
    inspect_key(key);
  }

  void inspect_key(const std::vector<std::string>& key) {
    inspection_.refuse_if(key.size() > kMostKeyColumns, "key_columns");
    std::int64_t size = 0;
    for (const std::string& column : key) {
      const auto found = types_.find(column);
      if (found == types_.end()) continue;
      const ColumnType& type = found->second;
      size += type.length;
      inspection_.refuse_if(type.name == "json" || type.name == "jsonb", "key_type", {type.shown});
    }
    inspection_.refuse_if(size > kLongestKey, "key_size");
  }

  void refuse_deferrable(std::string_view kind) {
    if (kind == "CONSTR_FOREIGN") return;
    const std::string_view word = kind == "CONSTR_PRIMARY" ? "PRIMARY KEY"
                                  : kind == "CONSTR_CHECK" ? "CHECK"
                                                           : "UNIQUE";
    inspection_.refuse("deferrable_constraint", {word});
  }

  static void inspect_collation(Inspection& inspection, const SqlNode& column) {
    const SqlNode names = column.field("collClause").field("collname");
    if (!names) return;
    const std::string_view name = names.item(names.size() - 1).field("String").text("sval");
    inspection.refuse_if(name != "C" && name != "default", "collation", {column.text("colname")});
  }

  Inspection& inspection_;
  std::map<std::string, ColumnType, std::less<>> types_;
  bool has_primary_key_ = false;
};

}  // namespace

void inspect_type(Inspection& inspection, const ColumnType& type) {
  inspection.refuse_if(type.is_serial(), "serial", {type.name});
  inspection.refuse_if(type.is_unsupported(), "column_type", {type.shown});
  inspection.refuse_if(type.name == "json", "json_column");
  inspection.refuse_if(type.name == "jsonb", "jsonb_column");
  inspection.refuse_if(type.name == "bpchar" && type.length > kLongestChar, "char_size");
  inspection.refuse_if(type.name == "varchar" && type.length > kLongestVarchar, "varchar_size");
}

void inspect_table(Inspection& inspection, const SqlStatement& statement) {
  const SqlNode& node = statement.node;
  if (statement.kind == "CreateSeqStmt") {
    inspect_sequence(inspection, node);
  } else if (statement.kind == "ViewStmt") {
    inspection.refuse_if(node.field("view").text("relpersistence") == "t", "temporary_view");
  } else if (statement.kind == "CreateStmt") {
    inspect_clauses(inspection, node);
    TableInspector(inspection).inspect(node.field("tableElts"));
  }
}

}  // namespace forebay::standin
