// The messages of SCRAM: attributes, "r=nonce,s=salt", one after the other.
#pragma once

#include <optional>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/wire/auth/hashes.hpp"

namespace forebay::wire {

inline constexpr std::string_view kScram = "SCRAM-SHA-256";
inline constexpr std::string_view kScramPlus = "SCRAM-SHA-256-PLUS";  // bound to its TLS channel
inline constexpr std::string_view kChannelBinding = "tls-server-end-point";

// Takes attributes off the front of a message, in the order in which they must come.
class ScramAttributes {
 public:
  explicit ScramAttributes(std::string_view message) : rest_(message) {}

  // Nothing: the next is another one, or none.
  std::optional<std::string_view> take(char name);
  // Whatever it is, with its name; nothing: that was the last.
  std::optional<std::string_view> take_any();
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// As nonces must be: printable, without a comma, not empty.
bool is_nonce(std::string_view text);

// One key hidden under another, or found again.
ScramKey exclusive_or(const ScramKey& one, const ScramKey& other);

Error malformed_scram(std::string_view what);

}  // namespace forebay::wire
