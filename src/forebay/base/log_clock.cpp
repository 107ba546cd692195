#include "forebay/base/log_clock.hpp"

namespace forebay::log {

Time wall_now() { return std::chrono::system_clock::now(); }

std::chrono::nanoseconds steady_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

}  // namespace forebay::log
