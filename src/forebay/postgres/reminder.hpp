// How often a destructor that waits for what is lent says whom it waits for; the first time after a
// moment.
#pragma once

#include "forebay/env/time.hpp"

namespace forebay::postgres {

inline constexpr Duration kReminder = std::chrono::seconds(10);
inline constexpr Duration kFirstReminder = std::chrono::milliseconds(200);

}  // namespace forebay::postgres
