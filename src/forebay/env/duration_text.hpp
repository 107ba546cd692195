// Times as people type and read them: 250ms, 1.5s, 2m, 1m30s.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "forebay/env/time.hpp"

namespace forebay {

// A number, whole or decimal, and a unit: ns, us, ms, s, m or h. 0 needs no unit. Several of them
// add up, larger units first, as in 1h30m. A minus in front makes all of it negative.
// Nothing if it is anything else, finer than a nanosecond, or longer than a Duration can be.
std::optional<Duration> parse_duration(std::string_view text);

// The same time, exactly, in the largest unit that makes it a whole number: 1500ms, 2m.
std::string duration_text(Duration time);

// Three digits, for the eye: "950 ns", "12.3 ms", "1.25 s", "11.0 min".
std::string readable_time(Duration time);

}  // namespace forebay
