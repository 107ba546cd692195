// Uuid: a 128-bit id by RFC 9562, as PostgreSQL's type uuid keeps it.
//
// A value: compared byte by byte from the first, as PostgreSQL sorts them, and hashable. Those of
// version 4 are chance only; those of version 7 begin with their time, so that later ones sort
// after earlier ones. Chance must come from a source that nobody can guess and that no two
// processes share: Runtime::secure_random().
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/random.hpp"
#include "forebay/env/wall_clock.hpp"

namespace forebay {

class Uuid {
 public:
  using Bytes = std::array<std::uint8_t, 16>;

  constexpr Uuid() = default;  // nil: all zero
  explicit constexpr Uuid(const Bytes& bytes) : bytes_(bytes) {}

  // What PostgreSQL accepts: 32 hexadecimal digits of either case, with a hyphen after any four of
  // them or none, in braces or not. Nothing else: no "urn:uuid:", no blanks. Errc::invalid.
  static Result<Uuid> parse(std::string_view text);
  // Errc::invalid: there are not 16.
  static Result<Uuid> from_bytes(std::span<const std::byte> bytes);

  constexpr const Bytes& bytes() const { return bytes_; }
  // 550e8400-e29b-41d4-a716-446655440000, as PostgreSQL prints it.
  std::string text() const;

  constexpr bool is_nil() const { return bytes_ == Bytes{}; }
  // 1 to 8 for ids by the RFC. Others may have any.
  constexpr int version() const { return bytes_[6] >> 4; }
  // When an id of version 7 was made. None: it has another version.
  std::optional<std::chrono::sys_time<std::chrono::milliseconds>> time() const;

  friend constexpr auto operator<=>(const Uuid&, const Uuid&) = default;
  friend constexpr bool operator==(const Uuid&, const Uuid&) = default;

 private:
  Bytes bytes_{};
};

Uuid make_uuid_v4(Random& random);
// Of two made in one millisecond either may sort first; see UuidV7Generator.
Uuid make_uuid_v7(WallTime now, Random& random);

// Makes ids of version 7, each of which sorts after all that it made before, also when the clock
// goes back: it then goes on from the last time, and counts. Thread-safe.
class UuidV7Generator {
 public:
  // Both outlive it. The random is for this generator only, unless it is thread-safe.
  UuidV7Generator(const WallClock& clock, Random& random) : clock_(clock), random_(random) {}
  UuidV7Generator(const UuidV7Generator&) = delete;
  UuidV7Generator& operator=(const UuidV7Generator&) = delete;

  Uuid next();

 private:
  const WallClock& clock_;
  Mutex mutex_;
  Random& random_ FOREBAY_GUARDED_BY(mutex_);
  std::uint64_t milliseconds_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::uint64_t counter_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay

template <>
struct std::hash<forebay::Uuid> {
  std::size_t operator()(const forebay::Uuid& id) const noexcept;
};
