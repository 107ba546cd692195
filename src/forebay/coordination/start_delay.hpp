// Staggered start: processes that start together do not connect together.
#pragma once

#include "forebay/env/env.hpp"
#include "forebay/env/task.hpp"

namespace forebay {

// A random part of it, told in the log with where to switch it off: a start that is slow for no
// visible reason looks like a fault.
Duration draw_start_delay(Env env, Duration most);

// Sleeps for it.
Task<void> delay_start(Env env, Duration most);

}  // namespace forebay
