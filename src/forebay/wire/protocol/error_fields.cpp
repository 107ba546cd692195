#include "forebay/wire/protocol/error_fields.hpp"

#include <algorithm>

#include "forebay/wire/protocol/body_reader.hpp"
#include "forebay/wire/protocol/message_type.hpp"
#include "forebay/wire/protocol/message_writer.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::wire {
namespace {

std::string_view sqlstate_of(Errc code) {
  switch (code) {
    case Errc::timed_out: return "57014";  // as when statement_timeout ends a statement
    case Errc::cancelled: return "57014";
    case Errc::closed: return "57P01";
    case Errc::connect_failed: return "08001";
    case Errc::refused: return "28000";
    case Errc::token_expired: return "28P01";
    case Errc::limit_reached: return "53300";
    case Errc::rate_reached: return "53400";
    case Errc::connection_lost: return "08006";
    case Errc::statement_failed: return "XX000";
    case Errc::condition_failed: return "XX000";
    case Errc::unknown_outcome: return "08007";
    case Errc::not_found: return "02000";
    case Errc::invalid: return "22023";
  }
  return "XX000";
}

bool is_sqlstate(std::string_view text) {
  return text.size() == 5 && std::all_of(text.begin(), text.end(), [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z');
         });
}

void add_field(MessageWriter& message, char code, std::string_view text) {
  message.byte(code);
  for (std::size_t zero = text.find('\0'); zero != std::string_view::npos; zero = text.find('\0')) {
    message.bytes(text.substr(0, zero)).byte('?');
    text.remove_prefix(zero + 1);
  }
  message.text(text);
}

void write_report(std::string& out, ServerMessage type, const ErrorReport& report) {
  MessageWriter message(out, type);
  add_field(message, 'S', name(report.severity));
  add_field(message, 'V', name(report.severity));
  add_field(message, 'C', is_sqlstate(report.sqlstate) ? report.sqlstate : "XX000");
  add_field(message, 'M', report.message);
  if (!report.detail.empty()) add_field(message, 'D', report.detail);
  if (!report.hint.empty()) add_field(message, 'H', report.hint);
  message.byte('\0');
}

}  // namespace

FieldCodec::Element FieldCodec::take(std::string_view& from) {
  const char code = from[0];
  from.remove_prefix(1);
  return {code, take_text(from)};
}

std::optional<std::string_view> ErrorFields::find(char code) const {
  for (const auto& [field, text] : fields_)
    if (field == code) return text;
  return std::nullopt;
}

std::string_view ErrorFields::severity() const {
  const std::optional<std::string_view> english = find('V');  // since 9.6
  return english ? *english : find('S').value_or("");
}

Result<ErrorFields> parse_error_fields(std::string_view body) {
  BodyReader reader("ErrorResponse", body);
  std::size_t count = 0;
  std::size_t size = 0;
  while (reader.is_sound() && reader.take_byte() != '\0') {
    reader.take_text();
    ++count;
    size = body.size() - reader.rest().size();
  }
  return reader.finish(ErrorFields(FieldList(count, body.substr(0, size))));
}

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::error: return "ERROR";
    case Severity::fatal: return "FATAL";
    case Severity::panic: return "PANIC";
    case Severity::warning: return "WARNING";
    case Severity::notice: return "NOTICE";
    case Severity::debug: return "DEBUG";
    case Severity::info: return "INFO";
    case Severity::log: return "LOG";
  }
  return "ERROR";
}

ErrorReport report_of(const Error& error, Severity severity) {
  const bool has_state = !error.sqlstate().empty();
  return {severity, has_state ? error.sqlstate() : std::string(sqlstate_of(error.code())),
          error.text()};
}

ErrorReport function_call_refusal() {
  return {Severity::error, kNotSupported, "function calls of the protocol are not supported",
          "Use SELECT with the function instead; libpq's PQfn() and large objects call this way."};
}

void write_error(std::string& out, const ErrorReport& report) {
  write_report(out, ServerMessage::error_response, report);
}

void write_notice(std::string& out, const ErrorReport& report) {
  write_report(out, ServerMessage::notice_response, report);
}

}  // namespace forebay::wire
