// Digests, by OpenSSL: SHA-256 and HMAC over it, for signatures and passwords; SHA-1 and MD5, which
// protect nobody any more, for names and old passwords. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace forebay {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view text);
Digest hmac_sha256(std::string_view key, std::string_view text);
std::string hex(const Digest& digest);  // in lower case, as below

std::string sha1_hex(std::string_view text);
// Nothing: this OpenSSL forbids MD5.
std::optional<std::string> md5_hex(std::string_view text);

// As the key of the next one, say.
inline std::string_view digest_bytes(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace forebay
