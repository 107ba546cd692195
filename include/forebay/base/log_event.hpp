// Event: one thing that happened, for the log: a level, a message that is the same sentence each
// time, and fields with the numbers and names of this time.
//
// Events and fields only look at texts that belong to the code that logs; a sink that keeps an
// event for later makes a KeptEvent of it. Secrets never come here: the code that logs redacts
// first.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace forebay::log {

enum class Level : std::uint8_t { debug, info, warning, error };

std::string_view name(Level level);

// std::monostate: there is none, and the field is left out.
using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                           std::chrono::nanoseconds, std::string_view>;

struct Field {
  std::string_view name;
  Value value;
};

namespace detail {

inline Value value_of(std::string_view text) { return text; }
inline Value value_of(bool value) { return value; }
inline Value value_of(double value) { return value; }
template <std::signed_integral Integer>
Value value_of(Integer value) {
  return static_cast<std::int64_t>(value);
}
template <std::unsigned_integral Integer>
  requires(!std::same_as<Integer, bool>)
Value value_of(Integer value) {
  return static_cast<std::uint64_t>(value);
}
template <class Number, class Period>
Value value_of(const std::chrono::duration<Number, Period>& time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time);
}

}  // namespace detail

// A text must live until the event has been written: as an argument of the call it does.
template <class T>
Field field(std::string_view name, const T& value) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    return {name, std::string_view(value)};
  } else {
    return {name, detail::value_of(value)};
  }
}
// Left out if there is none.
template <class T>
Field field(std::string_view name, const std::optional<T>& value) {
  return value ? field(name, *value) : Field{name, std::monostate()};
}

using Time = std::chrono::sys_time<std::chrono::nanoseconds>;  // UTC

struct Event {
  Level level = Level::info;
  std::string_view message;
  std::span<const Field> fields;
  Time time{};

  // A text is what it is, without quotes; nothing: there is no such field.
  std::optional<std::string> text(std::string_view name) const;
};

// The value without quotes. Times are written by readable_time(): 12.3s, 250ms, 11m0s.
std::string value_text(const Value& value);

// One line each, whatever is in the texts: control characters are escaped.
//   Reservoir initial fill complete pool=orders size=50 target=50 elapsed=12.3s
std::string describe(const Event& event);
//   2026-01-02T03:04:05.678Z info Reservoir initial fill complete pool=orders size=50 ...
std::string text_line(const Event& event);
//   {"time":"2026-01-02T03:04:05.678Z","level":"info","message":"Reservoir ...","size":50,...}
std::string json_line(const Event& event);

// An event with texts of its own.
class KeptEvent {
 public:
  explicit KeptEvent(const Event& event);
  KeptEvent(KeptEvent&&) = default;
  KeptEvent& operator=(KeptEvent&&) = default;

  Event event() const { return {level_, texts_.front(), fields_, time_}; }

 private:
  std::string_view keep(std::string_view text) { return texts_.emplace_back(text); }

  Level level_;
  Time time_;
  std::vector<std::string> texts_;  // never grows beyond what it began with: the fields look at it
  std::vector<Field> fields_;
};

}  // namespace forebay::log
