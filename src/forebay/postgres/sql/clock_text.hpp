// Hours, minutes and seconds as PostgreSQL writes them, in microseconds: "-123:04:05.000006". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace forebay::postgres {

std::string clock_text(std::int64_t microseconds);
// With or without a sign and digits after the point, six at most; any number of hours, in one digit
// or more. Nothing: something else, or too many to count.
std::optional<std::int64_t> parse_clock(std::string_view text);

// "5" after a point is 500,000. Nothing: no digits, or too many of them.
std::optional<std::int64_t> microseconds_of_fraction(std::string_view digits);

}  // namespace forebay::postgres
