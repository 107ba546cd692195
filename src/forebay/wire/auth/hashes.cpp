#include "forebay/wire/auth/hashes.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "forebay/base/no_fork.hpp"
#include "forebay/detail/base/check.hpp"

namespace forebay::wire {

ScramKey salted_password(std::string_view password, std::string_view salt, int iterations) {
  const NoFork whole_step;  // for the locks of OpenSSL
  ScramKey result;
  const int is_done = PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()),
                                        reinterpret_cast<const unsigned char*>(salt.data()),
                                        static_cast<int>(salt.size()), iterations, EVP_sha256(),
                                        static_cast<int>(result.size()), result.data());
  FOREBAY_CHECK(is_done == 1, "OpenSSL has no PBKDF2 with SHA-256");
  return result;
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace forebay::wire
