// The smallest program on the installed library: a task on its own thread, and the answer.
#include <chrono>
#include <cstdio>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"

namespace {

forebay::Task<int> answer_after(forebay::Scheduler& scheduler, forebay::Duration pause) {
  co_await forebay::sleep_for(scheduler, pause);
  co_return 42;
}

}  // namespace

int main() {
  forebay::Runtime runtime;
  const auto pause = std::chrono::milliseconds(10);
  const int answer =
      forebay::run_blocking(runtime.scheduler(), answer_after(runtime.scheduler(), pause));
  std::printf("the answer is %d\n", answer);
  return answer == 42 ? 0 : 1;
}
