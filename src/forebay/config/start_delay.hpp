// Staggered start: processes that start together do not connect together.
#pragma once

#include "forebay/env/env.hpp"
#include "forebay/env/task.hpp"

namespace forebay {

// Sleeps for a random part of it.
Task<void> delay_start(Env env, Duration most);

}  // namespace forebay
