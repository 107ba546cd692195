#include "forebay/coordination/start_delay.hpp"

#include "forebay/base/log.hpp"
#include "forebay/env/random.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {

Duration draw_start_delay(Env env, Duration most) {
  if (most <= Duration::zero()) return Duration::zero();
  const Duration delay = env.random.between(Duration::zero(), most);
  log::info("Start delayed",
            {log::field("delay", delay), log::field("most", most),
             log::field("switch_off",
                        "startup.staggered: false, DSQL_STAGGERED_STARTUP=false or "
                        "ClusterOptions::stagger")});
  return delay;
}

Task<void> delay_start(Env env, Duration most) {
  const Duration delay = draw_start_delay(env, most);
  if (delay > Duration::zero()) co_await sleep_for(env.scheduler, delay);
}

}  // namespace forebay
