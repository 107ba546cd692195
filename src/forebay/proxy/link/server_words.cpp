#include "forebay/proxy/link/server_words.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/silence.hpp"
#include "forebay/postgres/driver/libpq_error.hpp"
#include "forebay/postgres/driver/refusal_advice.hpp"
#include "forebay/postgres/driver/server_answer.hpp"
#include "forebay/wire/protocol/error_fields.hpp"

namespace forebay::proxy {
namespace {

std::string words_of(const wire::ErrorFields& fields) {
  std::string text = postgres::one_line(fields.message());
  if (!fields.detail().empty())
    text += fmt::format(" (detail: {})", postgres::one_line(fields.detail()));
  if (!fields.hint().empty()) text += fmt::format(" (hint: {})", postgres::one_line(fields.hint()));
  return text.empty() ? "the server gave no reason" : text;
}

}  // namespace

Error refusal_of_connect(std::string_view body) {
  const Result<wire::ErrorFields> fields = wire::parse_error_fields(body);
  if (!fields) return out_of_step(fields.error().text());
  std::string text = words_of(*fields);
  const Errc code = postgres::connect_code(fields->sqlstate(), text);
  if (const std::string_view advice = postgres::refusal_advice(text); !advice.empty())
    text += fmt::format(" ({})", advice);
  return Error(code, class_of(code), fmt::format("{}: {}", fields->severity(), text),
               std::string(fields->sqlstate()));
}

Error refusal_of_statement(std::string_view body) {
  const Result<wire::ErrorFields> fields = wire::parse_error_fields(body);
  if (!fields) return out_of_step(fields.error().text());
  const bool is_lost = fields->ends_session();
  std::string text = words_of(*fields);
  const ErrorClass error_class = postgres::statement_class(fields->sqlstate(), text, is_lost);
  return Error(is_lost ? Errc::connection_lost : Errc::statement_failed, error_class,
               std::move(text), std::string(fields->sqlstate()));
}

Error out_of_step(std::string_view what) {
  return Error(Errc::connection_lost, fmt::format("the server is out of step: {}", what));
}

Error trouble_of_connect(const Error& error) {
  const bool has_code =
      error.code() != Errc::connect_failed && error.code() != Errc::connection_lost;
  if (has_code) return error;
  // A certificate that does not hold will not hold in a minute.
  const bool is_about_certificate = error.text().contains("the certificate of");
  const Errc code = is_about_certificate ? Errc::refused : postgres::connect_code("", error.text());
  return Error(code, error.text());
}

// A stream tells the words of the system, and not its number.
bool is_silence(const Error& error) {
  return std::ranges::any_of(kErrorsOfSilence, [&error](int number) {
    return error.text().contains(std::generic_category().message(number));
  });
}

}  // namespace forebay::proxy
