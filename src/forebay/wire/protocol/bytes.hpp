// Bytes of the protocol. Most are text, so views of them are std::string_view; a stream's spans of
// std::byte become that, and come back, here. Numbers stand with the highest byte first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace forebay::wire {

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// The number at a place of the bytes. REQUIRES of all four: it is all there.
inline std::uint16_t read_uint16(std::string_view from, std::size_t at = 0) {
  const auto byte = [from](std::size_t place) { return static_cast<unsigned char>(from[place]); };
  return static_cast<std::uint16_t>(byte(at) << 8 | byte(at + 1));
}
inline std::uint32_t read_uint32(std::string_view from, std::size_t at = 0) {
  std::uint32_t number = 0;
  std::memcpy(&number, from.data() + at, sizeof number);
  return std::endian::native == std::endian::little ? std::byteswap(number) : number;
}
inline void write_uint16(char* into, std::uint16_t value) {
  into[0] = static_cast<char>(value >> 8);
  into[1] = static_cast<char>(value);
}
inline void write_uint32(char* into, std::uint32_t value) {
  write_uint16(into, static_cast<std::uint16_t>(value >> 16));
  write_uint16(into + 2, static_cast<std::uint16_t>(value));
}

}  // namespace forebay::wire
