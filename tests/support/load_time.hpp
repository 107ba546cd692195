// How long tests with load run: a third of what they ask for, a fifth under a sanitizer, which sees
// as much in less, and all of it where FOREBAY_FULL_LOAD is set, as in the long suite.
#pragma once

#include <cstdlib>

#include "forebay/env/time.hpp"

namespace forebay::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

inline bool is_full_load() { return std::getenv("FOREBAY_FULL_LOAD") != nullptr; }

inline Duration load_time(Duration full) {
  if (is_full_load()) return full;
  return full / (kIsSanitized ? 5 : 3);
}

}  // namespace forebay::test
