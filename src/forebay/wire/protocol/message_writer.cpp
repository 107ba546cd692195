#include "forebay/wire/protocol/message_writer.hpp"

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/message_type.hpp"

namespace forebay::wire {
namespace {

constexpr std::size_t kLengthSize = 4;

}  // namespace

MessageWriter::MessageWriter(std::string& out) : out_(out), start_(out.size()) {
  out_.append(kLengthSize, '\0');
}

MessageWriter::MessageWriter(std::string& out, char type) : out_(out), start_(out.size() + 1) {
  out_ += type;
  out_.append(kLengthSize, '\0');
}

MessageWriter::~MessageWriter() {
  const std::size_t length = out_.size() - start_;
  FOREBAY_CHECK(length <= kLongestMessage, "no PostgreSQL reads a message of this length");
  write_uint32(out_.data() + start_, static_cast<std::uint32_t>(length));
}

MessageWriter& MessageWriter::byte(char value) {
  out_ += value;
  return *this;
}

MessageWriter& MessageWriter::uint16(std::uint16_t value) {
  char bytes[2];
  write_uint16(bytes, value);
  out_.append(bytes, sizeof bytes);
  return *this;
}

MessageWriter& MessageWriter::uint32(std::uint32_t value) {
  char bytes[4];
  write_uint32(bytes, value);
  out_.append(bytes, sizeof bytes);
  return *this;
}

MessageWriter& MessageWriter::bytes(std::string_view value) {
  out_ += value;
  return *this;
}

MessageWriter& MessageWriter::text(std::string_view value) {
  FOREBAY_CHECK(value.find('\0') == std::string_view::npos, "a zero byte would end the text");
  out_ += value;
  out_ += '\0';
  return *this;
}

MessageWriter& MessageWriter::value(const Value& value) {
  if (!value) return uint32(0xffff'ffff);
  return uint32(static_cast<std::uint32_t>(value->size())).bytes(*value);
}

MessageWriter& MessageWriter::formats(std::span<const std::int16_t> formats) {
  count(formats.size());
  for (const std::int16_t format : formats) uint16(static_cast<std::uint16_t>(format));
  return *this;
}

MessageWriter& MessageWriter::types(std::span<const std::uint32_t> types) {
  count(types.size());
  for (const std::uint32_t type : types) uint32(type);
  return *this;
}

MessageWriter& MessageWriter::values(std::span<const Value> values) {
  count(values.size());
  for (const Value& one : values) value(one);
  return *this;
}

MessageWriter& MessageWriter::count(std::size_t value) {
  FOREBAY_CHECK(value <= 0xffff, "the protocol counts to 65,535");
  return uint16(static_cast<std::uint16_t>(value));
}

}  // namespace forebay::wire
