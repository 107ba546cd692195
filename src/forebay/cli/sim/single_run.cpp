#include "forebay/cli/sim/single_run.hpp"

#include <utility>

#include "forebay/cli/crash.hpp"

namespace forebay::cli {

SingleRun::SingleRun(const SimOptions& options) {
  std::promise<void> end;
  end_ = end.get_future();
  thread_ = std::jthread([this, &options, promise = std::move(end)]() mutable {
    const CrashNote crash_note(options.crash_note(options.scenario.seed));
    result_ = sim::run(options.scenario, this);
    result_.replay = options.replay(options.scenario.seed);
    promise.set_value();
  });
}

SingleRun::~SingleRun() { is_stopping_ = true; }

bool SingleRun::wait(std::chrono::milliseconds limit) {
  if (end_.wait_for(limit) != std::future_status::ready) return false;
  if (thread_.joinable()) thread_.join();
  return true;
}

bool SingleRun::go_on(Duration virtual_time, std::uint64_t events) {
  virtual_time_.store(virtual_time.count(), std::memory_order_relaxed);
  events_.store(events, std::memory_order_relaxed);
  if (is_stopping_) was_stopped_ = true;
  return !was_stopped_;
}

}  // namespace forebay::cli
