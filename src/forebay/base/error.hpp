// What can go wrong in a healthy program, as values.
//
// A new Errc exists only if some caller would act on it differently; everything else is text.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace forebay {

enum class Errc : std::uint8_t {
  timed_out,         // the caller's deadline passed
  closed,            // the pool, or what it stands on, is closed or closing
  connect_failed,    // the server could not be reached; trying again later makes sense
  refused,           // the server said no for good: credentials, database, role
  token_expired,     // the server said no because the password has run out: a fresh one may do
  limit_reached,     // the server has no connection left for us, or not at this rate
  connection_lost,   // the connection broke while it was in use
  statement_failed,  // the server refused a statement; sqlstate says why, the connection lives on
  invalid,           // options or a connection string that cannot work
};

std::string_view name(Errc code);

// Has constructors on purpose: g++ 12 destroys aggregates twice inside co_await expressions.
class Error {
 public:
  Error(Errc code, std::string text) : code_(code), text_(std::move(text)) {}
  Error(Errc code, std::string text, std::string sqlstate)
      : code_(code), text_(std::move(text)), sqlstate_(std::move(sqlstate)) {}

  Errc code() const { return code_; }
  const std::string& text() const { return text_; }          // for people: nothing parses it
  const std::string& sqlstate() const { return sqlstate_; }  // empty when no server spoke

 private:
  Errc code_;
  std::string text_;
  std::string sqlstate_;
};

template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

inline std::unexpected<Error> failure(Errc code, std::string text) {
  return std::unexpected<Error>(Error(code, std::move(text)));
}
inline std::unexpected<Error> failure(Error error) {
  return std::unexpected<Error>(std::move(error));
}

}  // namespace forebay
