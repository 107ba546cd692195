// Two tables, searched in order: messages first, because DSQL's say more than its codes.
#include "forebay/core/sqlstate.hpp"

#include <array>
#include <string>

#include "forebay/base/ascii_text.hpp"

namespace forebay {
namespace {

enum class Where : std::uint8_t { anywhere, connecting, statement };

constexpr std::string_view kNoSqlstate = "none";

struct MessageRule {
  Where where;
  // A prefix the SQLSTATE must have; empty: any, or none at all; kNoSqlstate: there must be none.
  std::string_view sqlstate;
  std::string_view fragment;  // lower case
  SqlMeaning meaning;
};

struct CodeRule {
  Where where;
  std::string_view prefix;
  SqlMeaning meaning;
};

using enum SqlMeaning;

constexpr std::array<MessageRule, 23> kMessages{{
    // In the hint of an "access denied", which is why it stands before that.
    {Where::connecting, "", "signature expired", token_expired},
    {Where::connecting, "", "unable to accept connection, too many", limit_reached},
    {Where::connecting, "", "unable to accept connection, rate", limit_reached},
    {Where::connecting, "", "unable to accept connection, access denied", refused},
    {Where::connecting, "", "unable to accept connection, sni", refused},
    {Where::connecting, "", "unable to accept connection, waking up", waking_up},
    {Where::connecting, "", "iam authentication failed", refused},
    {Where::connecting, "", "wrong user to action mapping", refused},
    {Where::connecting, "", "remaining connection slots are reserved", limit_reached},
    {Where::connecting, "", "sorry, too many clients already", limit_reached},
    {Where::connecting, "", "too many connections for role", limit_reached},
    {Where::connecting, "", "too many connections for database", limit_reached},
    {Where::connecting, "", "password authentication failed", refused},
    {Where::connecting, "", "no password supplied", refused},  // libpq's own words: no server spoke
    {Where::connecting, "", "no pg_hba.conf entry", refused},
    {Where::connecting, "", "the database system is", shutting_down},  // starting up, shutting down
    // Not with any SQLSTATE: a duplicate key is told with its value, which may read the same.
    {Where::statement, kNoSqlstate, "(oc000)", serialization_conflict},
    {Where::statement, kNoSqlstate, "(oc001)", serialization_conflict},
    {Where::statement, "40", "(oc000)", serialization_conflict},
    {Where::statement, "40", "(oc001)", serialization_conflict},
    {Where::statement, "OC", "(oc000)", serialization_conflict},
    {Where::statement, "OC", "(oc001)", serialization_conflict},
    {Where::anywhere, "XX000", "server unavailable", server_unavailable},
}};

constexpr std::array<CodeRule, 21> kCodes{{
    {Where::anywhere, "00", success},
    {Where::anywhere, "01", success},  // warnings
    {Where::anywhere, "02", success},  // no data
    {Where::anywhere, "40001", serialization_conflict},
    {Where::anywhere, "OC000",
     serialization_conflict},  // DSQL's connectors look for these as codes too
    {Where::anywhere, "OC001", serialization_conflict},
    {Where::anywhere, "40P01", serialization_conflict},  // a deadlock, and the other one goes on
    {Where::anywhere, "53300", limit_reached},
    {Where::connecting, "53", limit_reached},
    {Where::anywhere, "28", refused},
    {Where::connecting, "3D000", refused},
    {Where::connecting, "42501", refused},
    {Where::anywhere, "57P01", shutting_down},
    {Where::anywhere, "57P02", shutting_down},
    {Where::anywhere, "57P03", shutting_down},
    {Where::anywhere, "57P04", connection_lost},  // its database was dropped
    {Where::anywhere, "57P05", connection_lost},  // idle_session_timeout
    {Where::anywhere, "25P03", connection_lost},  // idle_in_transaction_session_timeout
    {Where::anywhere, "08", connection_lost},
    {Where::anywhere, "54000", transaction_limit},
    {Where::anywhere, "0A000", unsupported},
}};

bool applies(Where where, SqlPhase phase) {
  if (where == Where::anywhere) return true;
  return (where == Where::connecting) == (phase == SqlPhase::connecting);
}

bool fits(std::string_view sqlstate, const MessageRule& rule) {
  return rule.sqlstate == kNoSqlstate ? sqlstate.empty() : sqlstate.starts_with(rule.sqlstate);
}

}  // namespace

std::string_view name(SqlMeaning meaning) {
  switch (meaning) {
    case success: return "success";
    case serialization_conflict: return "serialization_conflict";
    case limit_reached: return "limit_reached";
    case token_expired: return "token_expired";
    case refused: return "refused";
    case shutting_down: return "shutting_down";
    case connection_lost: return "connection_lost";
    case transaction_limit: return "transaction_limit";
    case unsupported: return "unsupported";
    case server_unavailable: return "server_unavailable";
    case waking_up: return "waking_up";
    case other: return "other";
  }
  return "unknown";
}

SqlMeaning meaning_of(std::string_view sqlstate, std::string_view message, SqlPhase phase) {
  const std::string lowered = lower_case(message);
  for (const MessageRule& rule : kMessages) {
    if (!applies(rule.where, phase) || !fits(sqlstate, rule)) continue;
    if (lowered.contains(rule.fragment)) return rule.meaning;
  }
  for (const CodeRule& rule : kCodes) {
    if (applies(rule.where, phase) && sqlstate.starts_with(rule.prefix)) return rule.meaning;
  }
  return other;
}

bool is_fatal_for_connection(SqlMeaning meaning) {
  // Refused: DSQL asks IAM again at each transaction, and a revoked role will not come
  // back by waiting.
  return meaning == shutting_down || meaning == connection_lost || meaning == refused;
}

Errc connect_error_code(SqlMeaning meaning) {
  switch (meaning) {
    case limit_reached: return Errc::limit_reached;
    case refused: return Errc::refused;
    case token_expired: return Errc::token_expired;
    default: return Errc::connect_failed;
  }
}

}  // namespace forebay
