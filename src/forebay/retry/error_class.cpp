#include "forebay/retry/error_class.hpp"

#include <array>
#include <string>

#include "forebay/base/ascii_text.hpp"
#include "forebay/core/sqlstate.hpp"

namespace forebay {
namespace {

using enum ErrorClass;

// What says more here than its meaning for a connection does. Searched in order.
struct Rule {
  std::string_view sqlstate;
  std::string_view fragment;  // lower case; empty: whatever the message
  ErrorClass error_class;
};

constexpr std::array<Rule, 6> kRules{{
    {"40003", "", unknown_outcome},      // "statement completion unknown"
    {"25P03", "", transaction_timeout},  // idle_in_transaction_session_timeout
    {"25P04", "", transaction_timeout},  // transaction_timeout of PostgreSQL 17
    {"57014", "timeout",
     transaction_timeout},  // statement_timeout; also a cancel, without the word
    {"55P03", "timeout", transaction_timeout},    // lock_timeout; also NOWAIT, without the word
    {"54000", "age limit", transaction_timeout},  // DSQL's five minutes; also its other limits
}};

ErrorClass class_of(SqlMeaning meaning) {
  switch (meaning) {
    case SqlMeaning::serialization_conflict:
    case SqlMeaning::server_unavailable: return retryable;
    case SqlMeaning::unsupported: return unsupported_feature;
    case SqlMeaning::limit_reached: return connection_limit;
    case SqlMeaning::shutting_down:
    case SqlMeaning::connection_lost: return connection_lost;
    default: return permanent;
  }
}

ErrorClass class_of_answer(const Error& error) {
  const std::string lowered = lower_case(error.text());
  for (const Rule& rule : kRules) {
    if (error.sqlstate() == rule.sqlstate && lowered.contains(rule.fragment)) {
      return rule.error_class;
    }
  }
  if (error.code() == Errc::connection_lost) return connection_lost;
  return class_of(meaning_of(error.sqlstate(), error.text(), SqlPhase::statement));
}

}  // namespace

std::string_view name(ErrorClass error_class) {
  switch (error_class) {
    case retryable: return "retryable";
    case condition_failed: return "condition_failed";
    case permanent: return "permanent";
    case unsupported_feature: return "unsupported_feature";
    case connection_limit: return "connection_limit";
    case transaction_timeout: return "transaction_timeout";
    case connection_lost: return "connection_lost";
    case unknown_outcome: return "unknown_outcome";
  }
  std::unreachable();
}

ErrorClass classify(const Error& error) {
  switch (error.code()) {
    case Errc::condition_failed: return condition_failed;
    case Errc::unknown_outcome: return unknown_outcome;
    case Errc::timed_out: return transaction_timeout;
    case Errc::limit_reached: return connection_limit;
    case Errc::connection_lost:
    case Errc::statement_failed: return class_of_answer(error);
    // The pool has waited and tried for as long as it was told to.
    case Errc::connect_failed:
    case Errc::closed:
    case Errc::refused:
    case Errc::token_expired:
    case Errc::not_found:
    case Errc::invalid: return permanent;
  }
  std::unreachable();
}

bool is_worth_retrying(ErrorClass error_class, bool is_idempotent) {
  switch (error_class) {
    case retryable:
    case connection_lost: return true;
    case unknown_outcome: return is_idempotent;
    default: return false;
  }
}

}  // namespace forebay
