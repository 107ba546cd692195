// A caller who goes away after a while.
#pragma once

#include "forebay/env/cancellation.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/task.hpp"

namespace forebay::test {

inline Task<void> cancel_later(Scheduler& scheduler, Duration time, Cancellation& cancellation) {
  co_await sleep_for(scheduler, time);
  cancellation.cancel();
}

}  // namespace forebay::test
