#include "forebay/standin/statements/inspection.hpp"

#include <utility>

#include <fmt/format.h>

namespace forebay::standin {
namespace {

std::string quoted(std::string_view text, char quote) {
  std::string whole(1, quote);
  for (const char letter : text) {
    whole += letter;
    if (letter == quote) whole += quote;
  }
  whole += quote;
  return whole;
}

}  // namespace

void Inspection::refuse(std::string_view rule, std::initializer_list<std::string_view> values) {
  if (!verdict_.refusal) verdict_.refusal = book_.refusal(rule, values);
}

void Inspection::guard(std::string sql, std::string_view rule,
                       std::initializer_list<std::string_view> values) {
  std::optional<Refusal> refusal = book_.refusal(rule, values);
  if (refusal) verdict_.guards.push_back({.sql = std::move(sql), .refusal = std::move(*refusal)});
}

std::string table_name(const wire::SqlNode& relation) {
  const std::string_view schema = relation.text("schemaname");
  const std::string_view name = relation.text("relname");
  return schema.empty() ? std::string(name) : fmt::format("{}.{}", schema, name);
}

std::string sql_text(std::string_view text) { return quoted(text, '\''); }

std::string oid_of(const wire::SqlNode& relation) {
  const std::string_view schema = relation.text("schemaname");
  const std::string name = quoted(relation.text("relname"), '"');
  return fmt::format(
      "to_regclass({})",
      sql_text(schema.empty() ? name : fmt::format("{}.{}", quoted(schema, '"'), name)));
}

}  // namespace forebay::standin
