#include "forebay/config/start_delay.hpp"

#include "forebay/env/random.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay {

Task<void> delay_start(Env env, Duration most) {
  if (most <= Duration::zero()) co_return;
  const Duration pause = env.random.between(Duration::zero(), most);
  co_await sleep_for(env.scheduler, pause);
}

}  // namespace forebay
