// Whether acquires are counted and timed. They always are, but for the bench that measures what
// that costs, which is built with FOREBAY_UNMETERED.
#pragma once

namespace forebay {

#ifdef FOREBAY_UNMETERED
inline constexpr bool kIsMetered = false;
#else
inline constexpr bool kIsMetered = true;
#endif

}  // namespace forebay
