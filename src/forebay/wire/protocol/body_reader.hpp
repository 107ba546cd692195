// BodyReader: takes the fields of a message body one after the other.
//
// What is missing is read as zero or empty, and remembered: finish() then says what is wrong, so
// a parser is a list of fields and one check at its end. It never looks beyond the body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/wire/protocol/lists.hpp"

namespace forebay::wire {

class BodyReader {
 public:
  // The name is the message's, for errors.
  BodyReader(std::string_view name, std::string_view body) : name_(name), rest_(body) {}

  char take_byte();
  std::uint16_t take_uint16();
  std::uint32_t take_uint32();
  std::string_view take_text();  // up to a zero byte, which goes with it
  std::string_view take_bytes(std::size_t count);
  std::string_view take_rest() { return std::exchange(rest_, {}); }

  // A count of two bytes, then so many of them.
  template <class Number>
  NumberList<Number> take_numbers() {
    return NumberList<Number>(take_bytes(take_uint16() * sizeof(Number)));
  }
  Value take_value();       // a length of four bytes, and the value
  ValueList take_values();  // a count of two bytes, then so many of them
  // Texts up to one that is empty, which goes with them.
  TextList take_texts();
  TextList take_texts(std::uint32_t count);
  // Names and values, up to a name that is empty.
  SettingList take_settings();

  std::string_view rest() const { return rest_; }
  bool is_sound() const { return fault_.empty(); }
  // For what the fields mean. The first fault counts.
  void require(bool is_fulfilled, std::string_view fault) {
    if (!is_fulfilled && fault_.empty()) fault_ = fault;
  }

  // What was read, unless something was missing, or is left over.
  template <class View>
  Result<View> finish(View view) {
    require(rest_.empty(), "bytes are left over at its end");
    if (!is_sound()) return failure(problem());
    return view;
  }
  Error problem() const;

 private:
  std::string_view name_;
  std::string_view rest_;
  std::string_view fault_;
};

}  // namespace forebay::wire
