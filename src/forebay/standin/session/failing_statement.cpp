#include "forebay/standin/session/failing_statement.hpp"

#include <string_view>

#include <fmt/format.h>

namespace forebay::standin {

namespace {

constexpr std::string_view kBlockName = "standin_refusal";

std::string literal(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\0') continue;
    if (letter == '\'') quoted += '\'';
    quoted += letter;
  }
  return quoted + "'";
}

std::string raising(const Refusal& refusal) {
  std::string text = fmt::format("RAISE EXCEPTION USING ERRCODE = {}, MESSAGE = {}",
                                 literal(refusal.sqlstate), literal(refusal.message));
  if (!refusal.detail.empty()) text += fmt::format(", DETAIL = {}", literal(refusal.detail));
  if (!refusal.hint.empty()) text += fmt::format(", HINT = {}", literal(refusal.hint));
  return text + ";";
}

// Texts may hold names that clients chose, and so the mark that would end the body.
std::string block(const std::string& body) {
  std::string mark(kBlockName);
  while (body.find(mark) != std::string::npos) mark += "_";
  return fmt::format("DO ${0}$ BEGIN {1} END ${0}$", mark, body);
}

}  // namespace

std::string failing_statement(const Refusal& refusal) { return block(raising(refusal)); }

std::string guarding_statement(const Guard& guard) {
  return block(fmt::format("IF EXISTS ({}) THEN {} END IF;", guard.sql, raising(guard.refusal)));
}

bool is_made_by_us(const wire::ErrorFields& fields) {
  const std::string_view where = fields.find('W').value_or("");
  const bool is_block = where.find("inline_code_block line") != std::string_view::npos &&
                        where.find("at RAISE") != std::string_view::npos;
  return is_block || where.find("function standin.") != std::string_view::npos;
}

}  // namespace forebay::standin
