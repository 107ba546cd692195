// What passwords need of OpenSSL besides digests. Pure.
#pragma once

#include <string_view>

#include "forebay/hash/digest.hpp"

namespace forebay::wire {

using ScramKey = Digest;

// PBKDF2 with HMAC-SHA-256: about a millisecond for 4,096 iterations. REQUIRES: iterations > 0.
ScramKey salted_password(std::string_view password, std::string_view salt, int iterations);

// Takes as long for texts that differ early as for those that differ late. Their lengths are no
// secret.
bool equal_in_constant_time(std::string_view one, std::string_view other);

}  // namespace forebay::wire
