#include "forebay/hash/digest.hpp"

#include <span>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "forebay/base/no_fork.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay {
namespace {

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

// False: this OpenSSL has no such kind. REQUIRES: the room is as long as the digest.
bool digest_into(std::span<unsigned char> room, const EVP_MD* kind, std::string_view text) {
  const NoFork whole_step;  // for the locks of OpenSSL, here and below
  unsigned size = 0;
  const int is_done = EVP_Digest(text.data(), text.size(), room.data(), &size, kind, nullptr);
  return is_done == 1 && size == room.size();
}

}  // namespace

Digest sha256(std::string_view text) {
  Digest digest;
  FOREBAY_CHECK(digest_into(digest, EVP_sha256(), text), "OpenSSL has no SHA-256");
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view text) {
  const NoFork whole_step;
  Digest digest;
  unsigned size = 0;
  const unsigned char* const done =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  FOREBAY_CHECK(done != nullptr && size == digest.size(), "OpenSSL has no HMAC with SHA-256");
  return digest;
}

std::string hex(const Digest& digest) { return hex_of(digest); }

std::string sha1_hex(std::string_view text) {
  std::array<unsigned char, 20> digest;
  FOREBAY_CHECK(digest_into(digest, EVP_sha1(), text), "OpenSSL has no SHA-1");
  return hex_of(digest);
}

std::optional<std::string> md5_hex(std::string_view text) {
  std::array<unsigned char, 16> digest;
  if (!digest_into(digest, EVP_md5(), text)) return std::nullopt;
  return hex_of(digest);
}

}  // namespace forebay
