#include "forebay/env/real/secure_random.hpp"

#include <cerrno>

#include <sys/random.h>

#include "forebay/detail/base/check.hpp"

namespace forebay::real {

std::uint64_t SecureRandom::next() {
  std::uint64_t value = 0;
  // So few bytes come all at once or, while the system starts and a signal interrupts, not at all.
  ssize_t got = 0;
  do {
    got = getrandom(&value, sizeof value, 0);
  } while (got < 0 && errno == EINTR);
  FOREBAY_CHECK(got == static_cast<ssize_t>(sizeof value), "the system gave no random number");
  return value;
}

}  // namespace forebay::real
