// Tables, searched in order. Of connects messages come first, because DSQL's say more than its
// codes.
#include "forebay/postgres/driver/server_answer.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/sqlstate.hpp"

namespace forebay::postgres {
namespace {

struct ConnectMessage {
  std::string_view fragment;  // lower case
  Errc code;
};

constexpr std::array<ConnectMessage, 25> kConnectMessages{{
    // In the hint of an "access denied", which is why it stands before that.
    {"signature expired", Errc::token_expired},
    {"unable to accept connection, too many", Errc::limit_reached},
    {"unable to accept connection, rate", Errc::rate_reached},
    {"unable to accept connection, access denied", Errc::refused},
    {"unable to accept connection, sni", Errc::refused},
    {"unable to accept connection, waking up", Errc::connect_failed},
    {"iam authentication failed", Errc::refused},
    {"wrong user to action mapping", Errc::refused},
    {"remaining connection slots are reserved", Errc::limit_reached},
    {"sorry, too many clients already", Errc::limit_reached},
    {"too many connections for role", Errc::limit_reached},
    {"too many connections for database", Errc::limit_reached},
    {"password authentication failed", Errc::refused},
    {"no password supplied", Errc::refused},  // libpq's own words: no server spoke
    {"no pg_hba.conf entry", Errc::refused},
    {"the database system is", Errc::connect_failed},           // starting up, shutting down
    {"is not currently accepting connections", Errc::refused},  // one database, by its owner's will
    // OpenSSL's and libpq's own words: whom we believe, and who we are to the server.
    {"certificate verify failed", Errc::refused},
    {"does not match host name", Errc::refused},
    {"certificate file", Errc::refused},
    {"private key file", Errc::refused},
    {"alert unknown ca", Errc::refused},
    {"alert certificate required", Errc::refused},
    {"server does not support ssl", Errc::refused},
    {"definition of service", Errc::refused},
}};

struct ConnectState {
  std::string_view prefix;
  Errc code;
};

constexpr std::array<ConnectState, 7> kConnectStates{{
    {"53400", Errc::rate_reached},  // DSQL's; to a statement it is a full temp_file_limit
    {"53", Errc::limit_reached},
    {"28", Errc::refused},
    {"3D000", Errc::refused},
    {"42501", Errc::refused},
    {"42704", Errc::refused},  // a setting of the connection string that the server does not know
    {"22023", Errc::refused},  // and one whose value it does not accept
}};

constexpr std::string_view kNoSqlstate = "none";

struct StatementRule {
  std::string_view sqlstate;  // a prefix; kNoSqlstate: there must be none
  std::string_view fragment;  // lower case; empty: whatever the message
  ErrorClass error_class;
};

using enum ErrorClass;

// These say more than that the connection is lost.
constexpr std::array<StatementRule, 6> kLastWords{{
    {"40003", "", unknown_outcome},               // "statement completion unknown"
    {"25P03", "", transaction_timeout},           // idle_in_transaction_session_timeout
    {"25P04", "", transaction_timeout},           // transaction_timeout of PostgreSQL 17
    {"57014", "timeout", transaction_timeout},    // statement_timeout; a cancel lacks the word
    {"55P03", "timeout", transaction_timeout},    // lock_timeout; NOWAIT lacks the word
    {"54000", "age limit", transaction_timeout},  // DSQL's five minutes; also its other limits
}};

// None of them is about the connection: codes of class 08 and 57P01 reach a session that lives on,
// from a server behind this one (dblink, foreign tables), or for a parameter too few.
constexpr std::array<StatementRule, 11> kAnswers{{
    // Not with any SQLSTATE: a duplicate key is told with its value, which may read the same.
    {kNoSqlstate, "(oc000)", retryable},
    {kNoSqlstate, "(oc001)", retryable},
    {"40", "(oc000)", retryable},
    {"40", "(oc001)", retryable},
    {"40001", "", retryable},
    {"OC000", "", retryable},  // DSQL's connectors look for these as codes too
    {"OC001", "", retryable},
    {"40P01", "", retryable},                    // a deadlock, and the other one goes on
    {"XX000", "server unavailable", retryable},  // DSQL, transient: the connection stays usable
    {"53300", "", connection_limit},
    {"0A000", "", unsupported_feature},
}};

// The classes of PostgreSQL's codes, but for XX: of an internal error nobody can say more.
constexpr std::array<std::string_view, 42> kKnownClasses{
    "00", "01", "02", "03", "08", "09", "0A", "0B", "0F", "0L", "0P", "0Z", "20", "21",
    "22", "23", "24", "25", "26", "27", "28", "2B", "2D", "2F", "34", "38", "39", "3B",
    "3D", "3F", "40", "42", "44", "53", "54", "55", "57", "58", "72", "F0", "HV", "P0"};

bool is_documented(std::string_view sqlstate) {
  return std::ranges::find(kKnownClasses, sqlstate.substr(0, 2)) != kKnownClasses.end();
}

const StatementRule* first_match(std::span<const StatementRule> rules, std::string_view sqlstate,
                                 std::string_view lowered) {
  for (const StatementRule& rule : rules) {
    const bool fits =
        rule.sqlstate == kNoSqlstate ? sqlstate.empty() : sqlstate.starts_with(rule.sqlstate);
    if (fits && lowered.contains(rule.fragment)) return &rule;
  }
  return nullptr;
}

}  // namespace

Errc connect_code(std::string_view sqlstate, std::string_view message) {
  const std::string lowered = lower_case(message);
  for (const ConnectMessage& rule : kConnectMessages) {
    if (lowered.contains(rule.fragment)) return rule.code;
  }
  for (const ConnectState& rule : kConnectStates) {
    if (sqlstate.starts_with(rule.prefix)) return rule.code;
  }
  return Errc::connect_failed;
}

ErrorClass statement_class(std::string_view sqlstate, std::string_view message, bool is_lost) {
  const std::string lowered = lower_case(message);
  if (const StatementRule* rule = first_match(kLastWords, sqlstate, lowered))
    return rule->error_class;
  if (is_lost) return connection_lost;
  const StatementRule* const rule = first_match(kAnswers, sqlstate, lowered);
  if (rule != nullptr) return rule->error_class;
  return is_documented(sqlstate) ? permanent : unknown;
}

bool ends_session(const Error& error, bool rechecks_identity) {
  if (error.code() == Errc::connection_lost) return true;
  // A role that was revoked does not come back by waiting.
  return rechecks_identity && is_about_identity(error.sqlstate());
}

}  // namespace forebay::postgres
