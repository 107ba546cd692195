// The Date of an HTTP answer: by it we learn what time its sender thinks it is.
#pragma once

#include <optional>
#include <string_view>

#include "forebay/env/time.hpp"

namespace forebay::aws {

// "Sun, 30 Aug 2015 12:36:00 GMT". None: it is written in another way, or there is none.
std::optional<WallTime> http_date(std::string_view text);

}  // namespace forebay::aws
