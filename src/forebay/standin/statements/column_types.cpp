#include "forebay/standin/statements/column_types.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace forebay::standin {
namespace {

using wire::SqlNode;

// The names that differ.
std::string_view shown_name(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"int2", "smallint"},
       {"int4", "integer"},
       {"int8", "bigint"},
       {"float4", "real"},
       {"float8", "double precision"},
       {"bool", "boolean"},
       {"bpchar", "character"},
       {"char", "\"char\""},
       {"varchar", "character varying"},
       {"time", "time without time zone"},
       {"timetz", "time with time zone"},
       {"timestamp", "timestamp without time zone"},
       {"timestamptz", "timestamp with time zone"},
       {"varbit", "bit varying"}});
  const auto* const found =
      std::ranges::find(kNames, name, &std::pair<std::string_view, std::string_view>::first);
  return found == kNames.end() ? name : found->second;
}

// What PostgreSQL has built in for columns, and DSQL has not.
bool is_unsupported_builtin(std::string_view name) {
  static constexpr auto kTypes = std::to_array<std::string_view>({"aclitem",
                                                                  "bit",
                                                                  "box",
                                                                  "char",
                                                                  "cid",
                                                                  "cidr",
                                                                  "circle",
                                                                  "datemultirange",
                                                                  "daterange",
                                                                  "gtsvector",
                                                                  "inet",
                                                                  "int2vector",
                                                                  "int4multirange",
                                                                  "int4range",
                                                                  "int8multirange",
                                                                  "int8range",
                                                                  "jsonpath",
                                                                  "line",
                                                                  "lseg",
                                                                  "macaddr",
                                                                  "macaddr8",
                                                                  "money",
                                                                  "name",
                                                                  "nummultirange",
                                                                  "numrange",
                                                                  "oid",
                                                                  "oidvector",
                                                                  "path",
                                                                  "pg_lsn",
                                                                  "pg_snapshot",
                                                                  "point",
                                                                  "polygon",
                                                                  "refcursor",
                                                                  "regclass",
                                                                  "regcollation",
                                                                  "regconfig",
                                                                  "regdictionary",
                                                                  "regnamespace",
                                                                  "regoper",
                                                                  "regoperator",
                                                                  "regproc",
                                                                  "regprocedure",
                                                                  "regrole",
                                                                  "regtype",
                                                                  "tid",
                                                                  "tsmultirange",
                                                                  "tsquery",
                                                                  "tsrange",
                                                                  "tstzmultirange",
                                                                  "tstzrange",
                                                                  "tsvector",
                                                                  "txid_snapshot",
                                                                  "varbit",
                                                                  "xid",
                                                                  "xid8",
                                                                  "xml"});
  return std::ranges::find(kTypes, name) != kTypes.end();
}

// Without a schema, or of the one that has what is built in.
std::string builtin_name(const SqlNode& names) {
  const auto text = [&](std::size_t i) { return names.item(i).field("String").text("sval"); };
  if (names.size() == 1) return std::string(text(0));
  return names.size() == 2 && text(0) == "pg_catalog" ? std::string(text(1)) : std::string();
}

}  // namespace

ColumnType::ColumnType(const SqlNode& type_name)
    : name(builtin_name(type_name.field("names"))),
      is_array(type_name.field("arrayBounds").size() > 0),
      length(type_name.field("typmods").item(0).field("A_Const").field("ival").number("ival")) {
  shown =
      name.empty() ? wire::dotted_name(type_name.field("names")) : std::string(shown_name(name));
  if (is_array) shown += "[]";
}

bool ColumnType::is_unsupported() const { return is_array || is_unsupported_builtin(name); }

bool ColumnType::is_serial() const {
  static constexpr auto kSerial = std::to_array<std::string_view>(
      {"serial", "serial2", "serial4", "serial8", "bigserial", "smallserial"});
  return std::ranges::find(kSerial, name) != kSerial.end();
}

}  // namespace forebay::standin
