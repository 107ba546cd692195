// The log's own clocks. It tells when things happened and paces itself on threads that know no
// scheduler; nothing else is decided by them.
#pragma once

#include <chrono>

#include "forebay/base/log_event.hpp"

namespace forebay::log {

Time wall_now();
std::chrono::nanoseconds steady_now();

}  // namespace forebay::log
