#include "forebay/env/processor.hpp"

#include <algorithm>

#include <sched.h>
#include <unistd.h>

namespace forebay {

int processors() {
  static constexpr long kMost = 64;
  static const int kCount = static_cast<int>(std::clamp(sysconf(_SC_NPROCESSORS_CONF), 1L, kMost));
  return kCount;
}

int processor_here() {
  const int here = sched_getcpu();
  return here < 0 ? 0 : here % processors();
}

}  // namespace forebay
