// FOREBAY_CHECK(condition, state): stops the process when a promise of our own code is broken.
//
// It is on in every build type, because a pool with a wrong counter does more harm than a pool that
// is gone. It is for bugs only; whatever the world can do wrong is a Result.
#pragma once

#include <string_view>

namespace forebay {

[[noreturn]] void check_failed(const char* condition, const char* file, int line,
                               std::string_view state = {});

}  // namespace forebay

// The second argument, evaluated only on failure, is text that shows the state that
// broke the promise.
#define FOREBAY_CHECK(condition, ...) \
  ((condition)                        \
       ? void(0)                      \
       : ::forebay::check_failed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__))
