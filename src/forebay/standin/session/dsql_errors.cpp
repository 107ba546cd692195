#include "forebay/standin/session/dsql_errors.hpp"

#include <string>

#include "forebay/standin/session/failing_statement.hpp"
#include "forebay/standin/session/transaction_book.hpp"

namespace forebay::standin {

using wire::ErrorReport;

namespace {

ErrorReport told(const Refusal& refusal) {
  return {wire::Severity::error, refusal.sqlstate, refusal.message};
}

}  // namespace

std::optional<ErrorReport> dsql_error(const wire::ErrorFields& fields, bool is_in_ddl,
                                      bool is_rewritten) {
  const std::string_view state = fields.sqlstate();
  constexpr std::string_view kSerializationFailure = "40001";
  constexpr std::string_view kDeadlock = "40P01";
  constexpr std::string_view kLockNotAvailable = "55P03";
  const bool is_ours = is_made_by_us(fields);
  if (!is_ours &&
      (state == kSerializationFailure || state == kDeadlock || state == kLockNotAvailable))
    return told(is_in_ddl ? schema_conflict() : data_conflict());
  if (state == "0A000" && fields.message() == "cached plan must not change result type")
    return told(schema_conflict());
  if (!is_ours && !(is_rewritten && fields.find('P'))) return std::nullopt;
  ErrorReport report(wire::Severity::error, std::string(state), std::string(fields.message()),
                     std::string(fields.hint()));
  report.detail = fields.detail();
  return report;
}

}  // namespace forebay::standin
