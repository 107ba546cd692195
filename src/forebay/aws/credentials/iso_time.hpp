// Times as AWS writes them in answers: ISO 8601, as in 2026-02-03T04:05:06Z.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "forebay/env/time.hpp"

namespace forebay::aws {

// With or without a fraction of the second; "Z" or an offset like +01:00. Anything else: nothing.
std::optional<WallTime> parse_iso_time(std::string_view text);

// To the second.
std::string iso_time(WallTime time);

}  // namespace forebay::aws
