// The hashes that authentication needs, by OpenSSL. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace forebay::wire {

using ScramKey = std::array<unsigned char, 32>;

inline std::string_view key_bytes(const ScramKey& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

ScramKey scram_hash(std::string_view text);                        // SHA-256
ScramKey scram_hmac(std::string_view key, std::string_view text);  // HMAC-SHA-256
// PBKDF2 with HMAC-SHA-256: about a millisecond for 4,096 iterations. REQUIRES: iterations > 0.
ScramKey salted_password(std::string_view password, std::string_view salt, int iterations);

// In lower-case hexadecimal digits. Nothing: this OpenSSL forbids MD5.
std::optional<std::string> md5_hex(std::string_view text);

// Takes as long for texts that differ early as for those that differ late. Their lengths are no
// secret.
bool equal_in_constant_time(std::string_view one, std::string_view other);

}  // namespace forebay::wire
