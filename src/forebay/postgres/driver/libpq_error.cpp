// Reads the error fields of results, and takes verbose connect messages apart.
#include "forebay/postgres/driver/libpq_error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "forebay/base/silence.hpp"
#include "forebay/postgres/driver/refusal_advice.hpp"
#include "forebay/postgres/driver/server_answer.hpp"

namespace forebay::postgres {
namespace {

// Where a failed statement's fields are: PG_DIAG_… are the codes of the protocol.
class Fields {
 public:
  explicit Fields(const pg_result* result) : result_(result) {}
  explicit Fields(const wire::ErrorFields& heard) : heard_(&heard) {}

  std::string_view operator[](char code) const {
    if (heard_ != nullptr) return heard_->find(code).value_or("");
    const char* const text = result_ != nullptr ? PQresultErrorField(result_, code) : nullptr;
    return text != nullptr ? std::string_view(text) : std::string_view();
  }

 private:
  const pg_result* result_ = nullptr;
  const wire::ErrorFields* heard_ = nullptr;
};

// The server's own words, as they are. There is no more than the protocol brought.
ServerReport report_of(const Fields& fields) {
  ServerReport report{std::string(fields[PG_DIAG_SQLSTATE])};
  report.schema = fields[PG_DIAG_SCHEMA_NAME];
  report.table = fields[PG_DIAG_TABLE_NAME];
  report.column = fields[PG_DIAG_COLUMN_NAME];
  report.constraint = fields[PG_DIAG_CONSTRAINT_NAME];
  report.detail = fields[PG_DIAG_MESSAGE_DETAIL];
  report.hint = fields[PG_DIAG_MESSAGE_HINT];
  return report;
}

// By the server's own words; its goodbye may still be on its way.
bool ends_its_session(const Fields& fields) {
  const std::string_view severity = fields[PG_DIAG_SEVERITY_NONLOCALIZED];
  return severity == "FATAL" || severity == "PANIC";
}

Error make_statement_error(ServerReport report, std::string_view message, bool is_lost) {
  std::string text = one_line(message);
  if (!report.detail.empty()) text += fmt::format(" (detail: {})", one_line(report.detail));
  if (!report.hint.empty()) text += fmt::format(" (hint: {})", one_line(report.hint));
  if (text.empty()) text = "the server gave no reason";
  const Errc code = is_lost ? Errc::connection_lost : Errc::statement_failed;
  const ErrorClass error_class = statement_class(report.sqlstate, text, is_lost);
  return Error(code, error_class, std::move(text), std::move(report));
}

constexpr std::size_t kSqlstateLength = 5;

// Verbose messages read "FATAL:  28P01: password …": two spaces, five characters, a colon.
std::size_t find_sqlstate(std::string_view line) {
  for (std::size_t at = line.find(":  "); at != std::string_view::npos;
       at = line.find(":  ", at + 1)) {
    const std::string_view rest = line.substr(at + 3);
    if (rest.size() <= kSqlstateLength + 1 || rest.substr(kSqlstateLength, 2) != ": ") continue;
    const bool is_code = std::ranges::all_of(rest.substr(0, kSqlstateLength), [](unsigned char c) {
      return std::isdigit(c) != 0 || std::isupper(c) != 0;
    });
    if (is_code) return at + 3;
  }
  return std::string_view::npos;
}

}  // namespace

std::string one_line(std::string_view message) {
  std::string text;
  for (const char c : message) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

Error statement_error(const pg_result* result, const pg_conn* connection) {
  const Fields fields(result);
  const std::string_view message = fields[PG_DIAG_MESSAGE_PRIMARY];
  const bool is_lost = PQstatus(connection) != CONNECTION_OK || ends_its_session(fields);
  return make_statement_error(report_of(fields),
                              !message.empty() ? message : PQerrorMessage(connection), is_lost);
}

Error statement_error(const wire::ErrorFields& heard) {
  const Fields fields(heard);
  return make_statement_error(report_of(fields), fields[PG_DIAG_MESSAGE_PRIMARY],
                              heard.ends_session());
}

Error lost_without_answer(std::string_view how) {
  return make_statement_error(ServerReport(std::string()), how, true);
}

Error lost_after(const Error& refusal) {
  return Error(Errc::connection_lost, statement_class(refusal.sqlstate(), refusal.text(), true),
               refusal.text(), refusal.sqlstate());
}

// libpq keeps the words of the system, in whatever language, and not its number.
bool is_lost_in_silence(const pg_conn* connection) {
  if (PQstatus(connection) != CONNECTION_BAD) return false;
  const std::string_view message = PQerrorMessage(connection);
  return std::ranges::any_of(
      kErrorsOfSilence, [message](int error) { return message.contains(std::strerror(error)); });
}

Error connect_error(std::string_view verbose_message, const ConnectionString& target) {
  std::string text;
  std::string sqlstate;
  while (!verbose_message.empty()) {
    const std::size_t end = verbose_message.find('\n');
    std::string line(verbose_message.substr(0, end));
    verbose_message.remove_prefix(end == std::string_view::npos ? verbose_message.size() : end + 1);
    if (line.starts_with("LOCATION:")) continue;  // a line of the server's source code
    // With several attempts (TLS, then plain; one host, then the next) the last one counts.
    if (const std::size_t at = find_sqlstate(line); at != std::string::npos) {
      sqlstate = line.substr(at, kSqlstateLength);
      line.erase(at, kSqlstateLength + 2);
    }
    const std::string shown = one_line(line);
    if (shown.empty()) continue;
    if (!text.empty()) text += line.starts_with('\t') ? " " : "; ";  // libpq indents what goes on
    text += shown;
  }
  if (text.empty()) text = "libpq gave no reason";
  const Errc code = connect_code(sqlstate, text);
  if (const std::string_view advice = refusal_advice(text); !advice.empty()) {
    text += fmt::format(" ({})", advice);
  }
  return Error(code, class_of(code), target.scrubbed(std::move(text)), std::move(sqlstate));
}

}  // namespace forebay::postgres
