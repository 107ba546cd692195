// Leftovers: what statements may have left in a session, as a set of kinds.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace forebay::wire {

enum class Leftover : std::uint8_t {
  settings,    // SET, and the role
  prepared,    // by PREPARE, in SQL
  cursors,     // that outlive their transaction
  channels,    // of LISTEN
  locks,       // advisory ones of the session
  temporary,   // tables, views and sequences
  sequences,   // what currval() and lastval() would say
  everything,  // nobody knows
};

class Leftovers {
 public:
  constexpr Leftovers() = default;
  constexpr Leftovers(std::initializer_list<Leftover> kinds) {
    for (const Leftover kind : kinds) add(kind);
  }

  constexpr void add(Leftover kind) { bits_ |= bit(kind); }
  constexpr void add(Leftovers others) { bits_ |= others.bits_; }
  constexpr bool has(Leftover kind) const { return (bits_ & bit(kind)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(Leftovers, Leftovers) = default;

 private:
  static constexpr std::uint8_t bit(Leftover kind) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
  }

  std::uint8_t bits_ = 0;
};

}  // namespace forebay::wire
