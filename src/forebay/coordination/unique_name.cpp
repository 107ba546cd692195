#include "forebay/coordination/unique_name.hpp"

#include <fmt/format.h>

namespace forebay {

std::string unique_name(const std::string& name, Random& random) {
  const std::uint64_t high = random.next();
  const std::uint64_t low = random.next();
  return fmt::format("{}-{:016x}{:016x}", name, high, low);
}

}  // namespace forebay
