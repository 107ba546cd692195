// The hashes that requests to AWS need, pure: SHA-256, HMAC over it, CRC-32, and SHA-1 for names.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace forebay::aws {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view text);
Digest hmac_sha256(std::string_view key, std::string_view text);
std::string hex(const Digest& digest);  // lower case

// In lower case. No protection against anybody: the AWS command names files by it.
std::string sha1_hex(std::string_view text);

// As in zip files; DynamoDB sends it with its answers.
std::uint32_t crc32(std::string_view text);

// The bytes of a digest, as the key of the next one.
inline std::string_view bytes(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace forebay::aws
