#include "forebay/base/error.hpp"

#include <ostream>

#include "forebay/base/misuse.hpp"

namespace forebay {

std::string_view name(Errc code) {
  switch (code) {
    case Errc::timed_out: return "timed_out";
    case Errc::cancelled: return "cancelled";
    case Errc::closed: return "closed";
    case Errc::connect_failed: return "connect_failed";
    case Errc::refused: return "refused";
    case Errc::token_expired: return "token_expired";
    case Errc::limit_reached: return "limit_reached";
    case Errc::rate_reached: return "rate_reached";
    case Errc::connection_lost: return "connection_lost";
    case Errc::statement_failed: return "statement_failed";
    case Errc::condition_failed: return "condition_failed";
    case Errc::unknown_outcome: return "unknown_outcome";
    case Errc::not_found: return "not_found";
    case Errc::invalid: return "invalid";
  }
  std::unreachable();
}

ErrorClass class_of(Errc code) {
  switch (code) {
    case Errc::condition_failed: return ErrorClass::condition_failed;
    case Errc::unknown_outcome: return ErrorClass::unknown_outcome;
    case Errc::timed_out: return ErrorClass::transaction_timeout;
    case Errc::limit_reached:
    case Errc::rate_reached: return ErrorClass::connection_limit;
    case Errc::connection_lost: return ErrorClass::connection_lost;
    // The pool has waited and tried for as long as it was told to.
    case Errc::connect_failed:
    case Errc::cancelled:
    case Errc::closed:
    case Errc::refused:
    case Errc::token_expired:
    case Errc::statement_failed:
    case Errc::not_found:
    case Errc::invalid: return ErrorClass::permanent;
  }
  std::unreachable();
}

bool ServerReport::says_more() const {
  return !(schema.empty() && table.empty() && column.empty() && constraint.empty() &&
           detail.empty() && hint.empty());
}

Error::Error(Errc code, ErrorClass error_class, std::string text, ServerReport report)
    : Error(code, error_class, std::move(text), report.sqlstate) {
  if (report.says_more()) subject_ = std::make_shared<const Subject>(std::move(report));
}

Error Error::with_text(std::string text) const {
  Error same = *this;
  same.text_ = std::move(text);
  return same;
}

std::string to_string(const Error& error) {
  std::string text(name(error.code()));
  if (!error.sqlstate().empty()) text.append(" (").append(error.sqlstate()).append(")");
  return text.append(": ").append(error.text());
}

std::ostream& operator<<(std::ostream& stream, const Error& error) {
  return stream << to_string(error);
}

void detail::stop_for_missing_value(const Error& error) {
  stop_for_misuse(
      "the value of a Result was taken that holds an error instead; ask it with if () "
      "first. The error is " +
      to_string(error));
}

void detail::stop_for_missing_error() {
  stop_for_misuse("the error of a Result was taken that holds a value instead");
}

}  // namespace forebay
