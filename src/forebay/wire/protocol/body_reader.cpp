#include "forebay/wire/protocol/body_reader.hpp"

#include <fmt/format.h>

#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::wire {
namespace {

constexpr std::string_view kEndsEarly = "it ends early";
constexpr std::string_view kNoZeroByte = "a text has no end";

}  // namespace

char BodyReader::take_byte() {
  const std::string_view byte = take_bytes(1);
  return byte.empty() ? '\0' : byte[0];
}

std::uint16_t BodyReader::take_uint16() {
  const std::string_view bytes = take_bytes(2);
  return bytes.empty() ? std::uint16_t{0} : read_uint16(bytes);
}

std::uint32_t BodyReader::take_uint32() {
  const std::string_view bytes = take_bytes(4);
  return bytes.empty() ? 0 : read_uint32(bytes);
}

std::string_view BodyReader::take_text() {
  if (rest_.find('\0') == std::string_view::npos) {
    require(false, kNoZeroByte);
    rest_ = {};
    return {};
  }
  return wire::take_text(rest_);
}

std::string_view BodyReader::take_bytes(std::size_t count) {
  if (rest_.size() < count) {
    require(false, kEndsEarly);
    rest_ = {};
    return {};
  }
  const std::string_view bytes = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return bytes;
}

Value BodyReader::take_value() {
  const auto size = static_cast<std::int32_t>(take_uint32());
  require(size >= -1, "a value has a length below zero");
  if (size < 0) return std::nullopt;
  return take_bytes(static_cast<std::size_t>(size));
}

ValueList BodyReader::take_values() {
  const std::uint16_t count = take_uint16();
  const std::string_view all = rest_;
  for (std::uint16_t place = 0; place < count && is_sound(); ++place) take_value();
  if (!is_sound()) return {};
  return {count, all.substr(0, all.size() - rest_.size())};
}

TextList BodyReader::take_texts() {
  const std::string_view all = rest_;
  std::size_t count = 0;
  std::size_t size = 0;
  while (is_sound() && !take_text().empty()) {
    ++count;
    size = all.size() - rest_.size();
  }
  if (!is_sound()) return {};
  return {count, all.substr(0, size)};
}

TextList BodyReader::take_texts(std::uint32_t count) {
  const std::string_view all = rest_;
  for (std::uint32_t place = 0; place < count && is_sound(); ++place) take_text();
  if (!is_sound()) return {};
  return {count, all.substr(0, all.size() - rest_.size())};
}

SettingList BodyReader::take_settings() {
  const std::string_view all = rest_;
  std::size_t count = 0;
  std::size_t size = 0;
  while (is_sound() && !take_text().empty()) {
    take_text();
    ++count;
    size = all.size() - rest_.size();
  }
  if (!is_sound()) return {};
  return {count, all.substr(0, size)};
}

Error BodyReader::problem() const {
  return violation(fmt::format("malformed message {}: {}", name_, fault_));
}

}  // namespace forebay::wire
