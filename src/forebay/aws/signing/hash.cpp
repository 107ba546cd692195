#include "forebay/aws/signing/hash.hpp"

#include <span>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "forebay/base/no_fork.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay::aws {
namespace {

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string hex_of(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

constexpr std::array<std::uint32_t, 256> crc32_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t first = 0; first < table.size(); ++first) {
    std::uint32_t value = first;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1) != 0 ? 0xedb88320u ^ (value >> 1) : value >> 1;
    table[first] = value;
  }
  return table;
}

}  // namespace

Digest sha256(std::string_view text) {
  const NoFork whole_step;  // for the locks of OpenSSL, here and below
  Digest digest;
  unsigned size = 0;
  const int is_done =
      EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  FOREBAY_CHECK(is_done == 1 && size == digest.size(), "OpenSSL has no SHA-256");
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view text) {
  const NoFork whole_step;
  Digest digest;
  unsigned size = 0;
  const unsigned char* const done = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                         unsigned_bytes(text), text.size(), digest.data(), &size);
  FOREBAY_CHECK(done != nullptr && size == digest.size(), "OpenSSL has no HMAC with SHA-256");
  return digest;
}

std::string hex(const Digest& digest) { return hex_of(digest); }

std::string sha1_hex(std::string_view text) {
  std::array<unsigned char, 20> digest;
  unsigned size = 0;
  const int is_done =
      EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  FOREBAY_CHECK(is_done == 1 && size == digest.size(), "OpenSSL has no SHA-1");
  return hex_of(digest);
}

std::uint32_t crc32(std::string_view text) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc32_table();
  std::uint32_t value = 0xffffffffu;
  for (const char letter : text)
    value = kTable[(value ^ static_cast<unsigned char>(letter)) & 0xff] ^ (value >> 8);
  return ~value;
}

}  // namespace forebay::aws
