// What can go wrong in a healthy program, as values.
//
// A new Errc exists only if some caller would act on it differently; everything else is text.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <iosfwd>
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

// What a server said of an error beside its message, word for word. What it did not say is empty.
struct ServerReport {
  explicit ServerReport(std::string state) : sqlstate(std::move(state)) {}
  bool says_more() const;  // than the SQLSTATE

  std::string sqlstate;
  std::string schema;
  std::string table;
  std::string column;
  std::string constraint;  // its name: "orders_customer_fkey"
  std::string detail;      // may hold values of the row: "Key (id)=(7) already exists."
  std::string hint;
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
  Error(Errc code, ErrorClass error_class, std::string text, ServerReport report);
  // Errc::condition_failed and Errc::limit_reached, with what they are about.
  Error(ConditionFailed condition, std::string text)
      : code_(Errc::condition_failed),
        error_class_(ErrorClass::condition_failed),
        text_(std::move(text)),
        subject_(std::make_shared<const Subject>(std::move(condition))) {}
  Error(ConnectionLimit limit, std::string text)
      : code_(Errc::limit_reached),
        error_class_(ErrorClass::connection_limit),
        text_(std::move(text)),
        subject_(std::make_shared<const Subject>(std::move(limit))) {}

  // The same error in other words.
  Error with_text(std::string text) const;

  Errc code() const { return code_; }
  ErrorClass error_class() const { return error_class_; }
  const std::string& text() const { return text_; }          // for people: nothing parses it
  const std::string& sqlstate() const { return sqlstate_; }  // empty when no server spoke
  // What the server said a failed statement is about; empty where it said nothing. The text has
  // the detail and the hint already.
  std::string_view schema() const { return reported(&ServerReport::schema); }
  std::string_view table() const { return reported(&ServerReport::table); }
  std::string_view column() const { return reported(&ServerReport::column); }
  std::string_view constraint() const { return reported(&ServerReport::constraint); }
  std::string_view detail() const { return reported(&ServerReport::detail); }
  std::string_view hint() const { return reported(&ServerReport::hint); }
  // Null where there is nothing to say.
  const ConditionFailed* condition() const { return about<ConditionFailed>(); }
  const ConnectionLimit* connection_limit() const { return about<ConnectionLimit>(); }

 private:
  using Subject = std::variant<ConditionFailed, ConnectionLimit, ServerReport>;
  template <class T>
  const T* about() const {
    return subject_ ? std::get_if<T>(subject_.get()) : nullptr;
  }
  std::string_view reported(std::string ServerReport::* field) const {
    const ServerReport* const report = about<ServerReport>();
    return report != nullptr ? std::string_view(report->*field) : std::string_view();
  }

  Errc code_;
  ErrorClass error_class_;
  std::string text_;
  std::string sqlstate_;
  std::shared_ptr<const Subject> subject_;  // rare, and errors are copied
};

// "statement_failed (23505): duplicate key value …": code, SQLSTATE if there is one, text. For
// fmt there is <forebay/fmt.hpp>.
std::string to_string(const Error& error);
std::ostream& operator<<(std::ostream& stream, const Error& error);

template <class T>
class Result;

namespace detail {
[[noreturn]] void stop_for_missing_value(const Error& error);
[[noreturn]] void stop_for_missing_error();

template <class>
inline constexpr bool kIsResult = false;
template <class T>
inline constexpr bool kIsResult<Result<T>> = true;

// What a function makes of the value of a result: of Result<void>, of nothing.
template <class F, class R>
decltype(auto) call_with_value(F&& function, R&& result) {
  if constexpr (std::is_void_v<typename std::remove_cvref_t<R>::value_type>) {
    return std::invoke(std::forward<F>(function));
  } else {
    return std::invoke(std::forward<F>(function), *std::forward<R>(result));
  }
}
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

  // One step after another without an if in between, as std::expected has them in later compilers.
  // and_then(f): f(value) is a Result, of whatever; after an error it is not called.
  // transform(f): f(value) is a value, or nothing. or_else(f): f(error) is a Result<T>.
  // transform_error(f): f(error) is the Error to have instead. Of Result<void>, f() for f(value).
  template <class F>
  auto and_then(F&& function) const& {
    return next(*this, std::forward<F>(function));
  }
  template <class F>
  auto and_then(F&& function) && {
    return next(std::move(*this), std::forward<F>(function));
  }
  template <class F>
  auto transform(F&& function) const& {
    return transformed(*this, std::forward<F>(function));
  }
  template <class F>
  auto transform(F&& function) && {
    return transformed(std::move(*this), std::forward<F>(function));
  }
  template <class F>
  Result or_else(F&& function) const& {
    return *this ? *this : otherwise(std::forward<F>(function), this->error());
  }
  template <class F>
  Result or_else(F&& function) && {
    if (*this) return std::move(*this);
    return otherwise(std::forward<F>(function), std::move(*this).error());
  }
  template <class F>
  Result transform_error(F&& function) const& {
    if (*this) return *this;
    return std::unexpected<Error>(std::invoke(std::forward<F>(function), this->error()));
  }
  template <class F>
  Result transform_error(F&& function) && {
    if (*this) return std::move(*this);
    return std::unexpected<Error>(std::invoke(std::forward<F>(function), std::move(*this).error()));
  }

 private:
  template <class Self, class F>
  static auto next(Self&& self, F&& function) {
    using Next = std::remove_cvref_t<decltype(detail::call_with_value(std::forward<F>(function),
                                                                      std::forward<Self>(self)))>;
    static_assert(detail::kIsResult<Next>,
                  "the function of and_then() gives a Result; one that gives a value is for "
                  "transform()");
    if (self) return detail::call_with_value(std::forward<F>(function), std::forward<Self>(self));
    return Next(std::unexpected<Error>(std::forward<Self>(self).error()));
  }
  template <class Self, class F>
  static auto transformed(Self&& self, F&& function) {
    using Value = std::remove_cvref_t<decltype(detail::call_with_value(std::forward<F>(function),
                                                                       std::forward<Self>(self)))>;
    static_assert(!detail::kIsResult<Value>,
                  "the function of transform() gives a value; one that gives a Result is for "
                  "and_then()");
    if (!self) return Result<Value>(std::unexpected<Error>(std::forward<Self>(self).error()));
    if constexpr (std::is_void_v<Value>) {
      detail::call_with_value(std::forward<F>(function), std::forward<Self>(self));
      return Result<void>();
    } else {
      return Result<Value>(
          detail::call_with_value(std::forward<F>(function), std::forward<Self>(self)));
    }
  }
  template <class F, class E>
  static Result otherwise(F&& function, E&& error) {
    using Other = std::remove_cvref_t<std::invoke_result_t<F, E>>;
    static_assert(std::is_same_v<Other, Result>,
                  "the function of or_else() gives a Result of the same type");
    return std::invoke(std::forward<F>(function), std::forward<E>(error));
  }

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
