// What can go wrong in a healthy program, as values.
//
// A new Errc exists only if some caller would act on it differently; everything else is text.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "forebay/base/error_class.hpp"

namespace forebay {

enum class Errc : std::uint8_t {
  timed_out,         // the caller's deadline passed
  cancelled,         // the caller no longer wanted it, and said so
  closed,            // the pool, or what it depends on, is closed or closing
  connect_failed,    // the server could not be reached; trying again later makes sense
  refused,           // for good, waiting mends nothing: credentials, database, role, host name
  token_expired,     // the server said no because the password has run out: a fresh one may do
  limit_reached,     // the server has no connection left for us
  rate_reached,      // the server has no connection for us at this rate: in a moment it may have
  connection_lost,   // the connection broke while it was in use
  statement_failed,  // the server refused a statement; sqlstate says why, the connection lives on
  condition_failed,  // a fenced update found other than expected; condition() says what
  unknown_outcome,   // the connection was lost during COMMIT: done or not, nobody can say
  not_found,         // a row was expected, and there is none
  invalid,           // options, a connection string or a value that cannot work
};

std::string_view name(Errc code);

// What the code alone says. Of a statement that failed that is ErrorClass::permanent.
ErrorClass class_of(Errc code);

// What a fenced update found. The kind is the caller's word for what was fenced ("shard").
struct ConditionFailed {
  explicit ConditionFailed(std::string what) : kind(std::move(what)) {}
  std::string kind;
};

// Why a budget of connections had none left, for answers over HTTP.
struct ConnectionLimit {
  static constexpr int kHttpStatus = 503;

  ConnectionLimit() = default;
  int in_use = 0;
  int max = 0;
  std::string tenant;                   // empty: not asked for a tenant
  std::chrono::seconds retry_after{1};  // the value of a Retry-After header
};

// Has constructors on purpose: g++ 12 destroys aggregates twice inside co_await expressions.
class Error {
 public:
  Error(Errc code, std::string text)
      : code_(code), error_class_(class_of(code)), text_(std::move(text)) {}
  // What a server said. There is none without a class, so that code that repeats an error in other
  // words keeps it: see with_text().
  Error(Errc code, ErrorClass error_class, std::string text, std::string sqlstate)
      : code_(code),
        error_class_(error_class),
        text_(std::move(text)),
        sqlstate_(std::move(sqlstate)) {}
  // Errc::condition_failed and Errc::limit_reached, with what they are about.
  Error(ConditionFailed condition, std::string text)
      : code_(Errc::condition_failed),
        error_class_(ErrorClass::condition_failed),
        text_(std::move(text)),
        detail_(std::make_shared<const Detail>(std::move(condition))) {}
  Error(ConnectionLimit limit, std::string text)
      : code_(Errc::limit_reached),
        error_class_(ErrorClass::connection_limit),
        text_(std::move(text)),
        detail_(std::make_shared<const Detail>(std::move(limit))) {}

  // The same error in other words.
  Error with_text(std::string text) const;

  Errc code() const { return code_; }
  ErrorClass error_class() const { return error_class_; }
  const std::string& text() const { return text_; }          // for people: nothing parses it
  const std::string& sqlstate() const { return sqlstate_; }  // empty when no server spoke
  // Null where there is nothing to say.
  const ConditionFailed* condition() const { return detail<ConditionFailed>(); }
  const ConnectionLimit* connection_limit() const { return detail<ConnectionLimit>(); }

 private:
  using Detail = std::variant<ConditionFailed, ConnectionLimit>;
  template <class T>
  const T* detail() const {
    return detail_ ? std::get_if<T>(detail_.get()) : nullptr;
  }

  Errc code_;
  ErrorClass error_class_;
  std::string text_;
  std::string sqlstate_;
  std::shared_ptr<const Detail> detail_;  // rare, and errors are copied
};

namespace detail {
[[noreturn]] void stop_for_missing_value(const Error& error);
[[noreturn]] void stop_for_missing_error();
}  // namespace detail

// Taking the value of an error, or the error of a value, stops the process: std::expected
// alone would read what is not there.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
  using Base = std::expected<T, Error>;

 public:
  using Base::Base;

  std::add_lvalue_reference_t<T> operator*() & { return *checked(); }
  std::add_lvalue_reference_t<const T> operator*() const& { return *checked(); }
  std::add_rvalue_reference_t<T> operator*() &&
      requires(!std::is_void_v<T>) { return *std::move(checked()); } T* operator-> ()
        requires(!std::is_void_v<T>)
  {
    return &*checked();
  }
  const T* operator->() const
    requires(!std::is_void_v<T>)
  {
    return &*checked();
  }
  Error& error() & { return failed().error(); }
  const Error& error() const& { return failed().error(); }
  Error&& error() && { return std::move(failed().error()); }

 private:
  Base& checked() {
    if (!this->has_value()) detail::stop_for_missing_value(Base::error());
    return *this;
  }
  const Base& checked() const {
    if (!this->has_value()) detail::stop_for_missing_value(Base::error());
    return *this;
  }
  Base& failed() {
    if (this->has_value()) detail::stop_for_missing_error();
    return *this;
  }
  const Base& failed() const {
    if (this->has_value()) detail::stop_for_missing_error();
    return *this;
  }
};

inline std::unexpected<Error> failure(Errc code, std::string text) {
  return std::unexpected<Error>(Error(code, std::move(text)));
}
inline std::unexpected<Error> failure(Error error) {
  return std::unexpected<Error>(std::move(error));
}

}  // namespace forebay
