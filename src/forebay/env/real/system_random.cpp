#include "forebay/env/real/system_random.hpp"

#include <random>

namespace forebay::real {
namespace {

std::uint64_t seed_from_system() {
  std::random_device device;
  const std::uint64_t high = device();
  const std::uint64_t low = device();
  return high << 32 | low;
}

}  // namespace

SystemRandom::SystemRandom() : generator_(seed_from_system()) {}

}  // namespace forebay::real
