// The numbers are those of PostgreSQL's pg_type, which never change.
#include "forebay/postgres/sql/type_name.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace forebay::postgres {
namespace {

struct KnownType {
  std::uint32_t oid;
  std::uint32_t array_oid;
  std::string_view name;
};
constexpr std::array kKnownTypes = {
    KnownType{16, 1000, "bool"},        KnownType{17, 1001, "bytea"},
    KnownType{18, 1002, "\"char\""},    KnownType{19, 1003, "name"},
    KnownType{20, 1016, "int8"},        KnownType{21, 1005, "int2"},
    KnownType{23, 1007, "int4"},        KnownType{25, 1009, "text"},
    KnownType{26, 1028, "oid"},         KnownType{114, 199, "json"},
    KnownType{700, 1021, "float4"},     KnownType{701, 1022, "float8"},
    KnownType{790, 791, "money"},       KnownType{869, 1041, "inet"},
    KnownType{1042, 1014, "bpchar"},    KnownType{1043, 1015, "varchar"},
    KnownType{1082, 1182, "date"},      KnownType{1083, 1183, "time"},
    KnownType{1114, 1115, "timestamp"}, KnownType{1184, 1185, "timestamptz"},
    KnownType{1186, 1187, "interval"},  KnownType{1266, 1270, "timetz"},
    KnownType{1700, 1231, "numeric"},   KnownType{2950, 2951, "uuid"},
    KnownType{3802, 3807, "jsonb"}};

}  // namespace

std::string type_name(std::uint32_t oid) {
  for (const KnownType& type : kKnownTypes) {
    if (type.oid == oid) return std::string(type.name);
    if (type.array_oid == oid) return std::string(type.name) + "[]";
  }
  return fmt::format("type {}", oid);
}

}  // namespace forebay::postgres
