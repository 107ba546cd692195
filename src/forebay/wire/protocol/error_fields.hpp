// ErrorResponse and NoticeResponse: what a server said, as a view, and errors of ours in its
// format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/wire/protocol/lists.hpp"

namespace forebay::wire {

struct FieldCodec {
  using Element = std::pair<char, std::string_view>;  // its code, and the text
  static Element take(std::string_view& from);
};
using FieldList = ElementList<FieldCodec>;

// The fields of an error or a notice. The names are those of PostgreSQL's manual; what is missing
// is empty.
class ErrorFields {
 public:
  ErrorFields() = default;
  explicit ErrorFields(FieldList fields) : fields_(fields) {}

  std::optional<std::string_view> find(char code) const;
  std::string_view severity() const;  // in English, whatever the server's language
  std::string_view sqlstate() const { return find('C').value_or(""); }
  std::string_view message() const { return find('M').value_or(""); }
  std::string_view detail() const { return find('D').value_or(""); }
  std::string_view hint() const { return find('H').value_or(""); }
  // After such an error the server hangs up.
  bool ends_session() const { return severity() == "FATAL" || severity() == "PANIC"; }
  const FieldList& all() const { return fields_; }

 private:
  FieldList fields_;
};
Result<ErrorFields> parse_error_fields(std::string_view body);

enum class Severity : std::uint8_t { error, fatal, panic, warning, notice, debug, info, log };
std::string_view name(Severity severity);

// An error or a notice of ours.
struct ErrorReport {
  ErrorReport(Severity how_bad, std::string state, std::string text, std::string what_to_do = {})
      : severity(how_bad),
        sqlstate(std::move(state)),
        message(std::move(text)),
        hint(std::move(what_to_do)) {}

  Severity severity;
  std::string sqlstate;
  std::string message;
  std::string hint;    // empty: none
  std::string detail;  // empty: none
};

// With the server's SQLSTATE if a server spoke, and otherwise the one that says the same as the
// code: see docs/wire.md.
ErrorReport report_of(const Error& error, Severity severity = Severity::error);
// What a client hears that calls a function by FunctionCall, past SQL.
ErrorReport function_call_refusal();

// Zero bytes in texts become question marks, and what is no SQLSTATE becomes XX000: an error must
// always arrive.
void write_error(std::string& out, const ErrorReport& report);
void write_notice(std::string& out, const ErrorReport& report);

}  // namespace forebay::wire
