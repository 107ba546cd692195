#include "forebay/wire/auth/hashes.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "forebay/base/no_fork.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay::wire {
namespace {

const unsigned char* raw_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

ScramKey scram_hash(std::string_view text) {
  const NoFork whole_step;  // for the locks of OpenSSL, here and below
  ScramKey key;
  unsigned size = 0;
  const int is_done =
      EVP_Digest(text.data(), text.size(), key.data(), &size, EVP_sha256(), nullptr);
  FOREBAY_CHECK(is_done == 1 && size == key.size(), "OpenSSL has no SHA-256");
  return key;
}

ScramKey scram_hmac(std::string_view key, std::string_view text) {
  const NoFork whole_step;
  ScramKey result;
  unsigned size = 0;
  const unsigned char* const done = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                         raw_bytes(text), text.size(), result.data(), &size);
  FOREBAY_CHECK(done != nullptr && size == result.size(), "OpenSSL has no HMAC with SHA-256");
  return result;
}

ScramKey salted_password(std::string_view password, std::string_view salt, int iterations) {
  const NoFork whole_step;
  ScramKey result;
  const int is_done =
      PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), raw_bytes(salt),
                        static_cast<int>(salt.size()), iterations, EVP_sha256(),
                        static_cast<int>(result.size()), result.data());
  FOREBAY_CHECK(is_done == 1, "OpenSSL has no PBKDF2 with SHA-256");
  return result;
}

std::optional<std::string> md5_hex(std::string_view text) {
  const NoFork whole_step;
  unsigned char digest[16];
  unsigned size = 0;
  const int is_done = EVP_Digest(text.data(), text.size(), digest, &size, EVP_md5(), nullptr);
  if (is_done != 1 || size != sizeof digest) return std::nullopt;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof digest);
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace forebay::wire
