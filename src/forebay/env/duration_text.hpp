// Times as people type and read them: 250ms, 1.5s, 2m, 1m30s. What is set is written exactly, by
// duration_text(); what was measured is rounded, by readable_time().
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/readable_time.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

// Whatever Go's time.ParseDuration takes, because the variables of services in Go are read:
// numbers, whole or decimal (1.5, .5), each with a unit: ns, us (also µs), ms, s, m or h. 0 needs
// no unit. Several add up, as in 1h30m. A sign in front is for all of it. What is finer than a
// nanosecond is cut off. Nothing if it is anything else, or longer than a Duration can be.
std::optional<Duration> parse_duration(std::string_view text);

// The same time, exactly, in the largest unit that makes it a whole number: 1500ms, 2m. "unlimited"
// for Duration::max().
std::string duration_text(Duration time);

}  // namespace forebay
