// MessageWriter: one message at the end of a buffer. Its length is filled in when the writer goes.
//
// The buffer is the caller's, and reused: once it has grown, writing allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "forebay/wire/protocol/lists.hpp"

namespace forebay::wire {

class MessageWriter {
 public:
  explicit MessageWriter(std::string& out);  // a start-up packet, which has no type
  MessageWriter(std::string& out, char type);
  template <class Type>
    requires(sizeof(Type) == 1 && std::is_enum_v<Type>)
  MessageWriter(std::string& out, Type type) : MessageWriter(out, static_cast<char>(type)) {}
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;
  ~MessageWriter();

  MessageWriter& byte(char value);
  MessageWriter& uint16(std::uint16_t value);
  MessageWriter& uint32(std::uint32_t value);
  MessageWriter& bytes(std::string_view value);
  // With a zero byte after it. REQUIRES: it has none inside, or the message would mean something
  // else to its reader.
  MessageWriter& text(std::string_view value);
  MessageWriter& value(const Value& value);

  // A count of two bytes, and so many of them. REQUIRES: 65,535 at most.
  MessageWriter& formats(std::span<const std::int16_t> formats);
  MessageWriter& types(std::span<const std::uint32_t> types);
  MessageWriter& values(std::span<const Value> values);

 private:
  MessageWriter& count(std::size_t value);

  std::string& out_;
  const std::size_t start_;  // of the length
};

}  // namespace forebay::wire
