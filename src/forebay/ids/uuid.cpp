#include "forebay/ids/uuid.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace forebay {
namespace {

// The counter of version 7 has the 12 bits of rand_a and the first 6 of rand_b. A new millisecond
// starts it below half, so at least 2^17 ids fit before the next must be borrowed.
constexpr int kCounterBits = 18;
constexpr int kLowCounterBits = 6;
constexpr std::uint64_t kCounterEnd = std::uint64_t{1} << kCounterBits;

constexpr std::uint64_t low_bits(std::uint64_t value, int bits) {
  return value & ((std::uint64_t{1} << bits) - 1);
}

constexpr void put_half(Uuid::Bytes& bytes, std::size_t start, std::uint64_t value) {
  for (std::size_t i = 8; i-- > 0; value >>= 8) {
    bytes[start + i] = static_cast<std::uint8_t>(value & 0xff);
  }
}

std::uint64_t half_of(const Uuid::Bytes& bytes, std::size_t start) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | bytes[start + i];
  return value;
}

// The first 48 bits, 12 after the version and 62 after the variant.
Uuid assemble(std::uint64_t first, int version, std::uint64_t second, std::uint64_t third) {
  Uuid::Bytes bytes{};
  put_half(bytes, 0,
           first << 16 | static_cast<std::uint64_t>(version) << 12 | low_bits(second, 12));
  put_half(bytes, 8, std::uint64_t{2} << 62 | low_bits(third, 62));
  return Uuid(bytes);
}

std::uint64_t milliseconds_since_1970(WallTime time) {
  const auto count = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

// -1: no hexadecimal digit.
constexpr int digit_value(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

std::optional<Uuid::Bytes> read_bytes(std::string_view text) {
  if (text.starts_with('{')) {
    if (!text.ends_with('}')) return std::nullopt;
    text = text.substr(1, text.size() - 2);
  }
  Uuid::Bytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i != 0 && i % 2 == 0 && text.starts_with('-')) text.remove_prefix(1);
    if (text.size() < 2) return std::nullopt;
    const int high = digit_value(text[0]);
    const int low = digit_value(text[1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
    text.remove_prefix(2);
  }
  if (!text.empty()) return std::nullopt;
  return bytes;
}

}  // namespace

Result<Uuid> Uuid::parse(std::string_view text) {
  const std::optional<Bytes> bytes = read_bytes(text);
  if (bytes) return Uuid(*bytes);
  constexpr std::size_t kLongest = 48;  // longer than any id
  return failure(Errc::invalid,
                 fmt::format("\"{}\"{} is not a UUID: expected 32 hexadecimal digits, as in "
                             "550e8400-e29b-41d4-a716-446655440000",
                             text.substr(0, kLongest), text.size() > kLongest ? "..." : ""));
}

Result<Uuid> Uuid::from_bytes(std::span<const std::byte> bytes) {
  Bytes copy{};
  if (bytes.size() != copy.size()) {
    return failure(Errc::invalid, fmt::format("a UUID has 16 bytes, not {}", bytes.size()));
  }
  std::memcpy(copy.data(), bytes.data(), copy.size());
  return Uuid(copy);
}

std::string Uuid::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes_[i] >> 4];
    text += kDigits[bytes_[i] & 0xf];
  }
  return text;
}

std::optional<std::chrono::sys_time<std::chrono::milliseconds>> Uuid::time() const {
  if (version() != 7) return std::nullopt;
  const std::uint64_t count = half_of(bytes_, 0) >> 16;
  return std::chrono::sys_time<std::chrono::milliseconds>(
      std::chrono::milliseconds(static_cast<std::int64_t>(count)));
}

Uuid make_uuid_v4(Random& random) {
  const std::uint64_t high = random.next();
  const std::uint64_t low = random.next();
  return assemble(high >> 16, 4, high, low);
}

Uuid make_uuid_v7(WallTime now, Random& random) {
  const std::uint64_t high = random.next();
  const std::uint64_t low = random.next();
  return assemble(milliseconds_since_1970(now), 7, high, low);
}

Uuid UuidV7Generator::next() {
  const std::uint64_t now = milliseconds_since_1970(clock_.now());
  const MutexLock lock(mutex_);
  const std::uint64_t chance = random_.next();
  if (now > milliseconds_ || ++counter_ == kCounterEnd) {
    milliseconds_ = std::max(now, milliseconds_ + 1);
    counter_ = random_.next() >> (64 - kCounterBits + 1);
  }
  const std::uint64_t tail = low_bits(counter_, kLowCounterBits) << (62 - kLowCounterBits) |
                             low_bits(chance, 62 - kLowCounterBits);
  return assemble(milliseconds_, 7, counter_ >> kLowCounterBits, tail);
}

}  // namespace forebay

std::size_t std::hash<forebay::Uuid>::operator()(const forebay::Uuid& id) const noexcept {
  // Halves of ids that a counter made differ in few bits, so they are stirred.
  const std::uint64_t high = forebay::half_of(id.bytes(), 0);
  const std::uint64_t low = forebay::half_of(id.bytes(), 8);
  std::uint64_t mixed = high * 0x9e3779b97f4a7c15u ^ low;
  mixed = (mixed ^ mixed >> 32) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::size_t>(mixed ^ mixed >> 29);
}
