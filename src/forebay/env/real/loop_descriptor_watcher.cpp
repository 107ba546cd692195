#include "forebay/env/real/loop_descriptor_watcher.hpp"

#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "forebay/detail/base/check.hpp"

namespace forebay::real {
namespace {

enum class Ending : std::uint8_t { ready, timed_out, cancelled, closed };

Poller::Events events_of(Readiness readiness) {
  switch (readiness) {
    case Readiness::readable: return Poller::kRead;
    case Readiness::writable: return Poller::kWrite;
    case Readiness::either: return Poller::kRead | Poller::kWrite;
  }
  std::unreachable();
}

// Always: task_ is set while a wait is in progress. The one that clears it says how the wait ended
// and resumes the task, so a wait ends once.
class Watch final : private Timer, private Poller::Watched {
 public:
  Watch(LoopScheduler& scheduler, int descriptor)
      : Timer(&expire), Watched(descriptor, &on_ready), scheduler_(scheduler) {}

  Scheduler& scheduler() const { return scheduler_; }
  bool is_open() const { return is_open_; }
  bool has_wait() const { return task_ != nullptr; }
  bool has_wait(const Ending& ending) const { return ending_ == &ending; }
  // Leaves the descriptor open, and the loop without any interest in it.
  void release() {
    is_open_ = false;
    scheduler_.poller().forget(*this);
  }

  // To be followed by start() in the same turn.
  Result<void> want(Readiness readiness) {
    FOREBAY_CHECK(!has_wait(), "a descriptor has one wait at a time");
    const int error = scheduler_.poller().want(*this, events_of(readiness));
    if (error == 0) return {};
    return failure(Errc::connection_lost,
                   "cannot watch a descriptor: " + std::generic_category().message(error));
  }
  // The ending lives in the waiting task's frame, because the next wait may start before that task
  // has run again.
  void start(Instant deadline, std::coroutine_handle<> task, Ending& ending) {
    task_ = task;
    ending_ = &ending;
    if (deadline != kNever) scheduler_.arm(*this, deadline);
  }
  // Resumes the task on a later turn.
  void end(Ending how) {
    if (!has_wait()) return;
    scheduler_.disarm(*this);
    scheduler_.post(finish(how));
  }

 private:
  static void on_ready(Watched& watched, Poller::Events) {
    static_cast<Watch&>(watched).end(Ending::ready);
  }
  static void expire(Timer& timer) {
    // It has a wait: the end of a wait disarms the timer.
    static_cast<Watch&>(timer).finish(Ending::timed_out).resume();
  }
  std::coroutine_handle<> finish(Ending how) {
    Poller::unwant(*this);
    *std::exchange(ending_, nullptr) = how;
    return std::exchange(task_, {});
  }

  LoopScheduler& scheduler_;
  bool is_open_ = true;
  std::coroutine_handle<> task_{};
  Ending* ending_ = nullptr;
};

class [[nodiscard]] UntilEnded : private Cancellation::Listener {
 public:
  UntilEnded(Watch& watch, Until until) : Listener(&on_cancel), watch_(watch), until_(until) {}
  UntilEnded(const UntilEnded&) = delete;
  UntilEnded& operator=(const UntilEnded&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    until_.listen(*this, watch_.scheduler());
    watch_.start(until_.deadline(), task, ending_);
  }
  Ending await_resume() {
    until_.leave(*this);
    return ending_;
  }

 private:
  // It may have ended already, and another wait may have begun, before this task runs again.
  static void on_cancel(Listener& listener) {
    UntilEnded& self = static_cast<UntilEnded&>(listener);
    if (self.watch_.has_wait(self.ending_)) self.watch_.end(Ending::cancelled);
  }

  Watch& watch_;
  const Until until_;
  Ending ending_{};
};

// Not a member of the WatchedDescriptor, which may die after a wait has ended and before this runs.
Task<Result<void>> wait_for(std::shared_ptr<Watch> watch, Readiness readiness, Until until) {
  if (!watch->is_open()) co_return failure(Errc::closed, "the descriptor is no longer watched");
  Ending ending = until.is_cancelled() ? Ending::cancelled : Ending::timed_out;
  if (!until.is_cancelled() && watch->scheduler().now() < until.deadline()) {
    const Result<void> wanted = watch->want(readiness);
    if (!wanted) co_return wanted;
    ending = co_await UntilEnded(*watch, until);
  }
  switch (ending) {
    case Ending::ready: co_return Result<void>();
    case Ending::timed_out:
      co_return failure(Errc::timed_out, "the descriptor was not ready in time");
    case Ending::cancelled:
      co_return failure(Errc::cancelled, "the wait for the descriptor was cancelled");
    case Ending::closed: co_return failure(Errc::closed, "the wait for the descriptor was ended");
  }
  std::unreachable();
}

class LoopWatchedDescriptor final : public WatchedDescriptor {
 public:
  explicit LoopWatchedDescriptor(std::shared_ptr<Watch> watch) : watch_(std::move(watch)) {}
  ~LoopWatchedDescriptor() override {
    FOREBAY_CHECK(!watch_->has_wait(), "a descriptor's watch died during a wait");
    watch_->release();
  }

  bool is_here() const override { return watch_->scheduler().is_current_thread(); }
  Task<Result<void>> wait(Readiness readiness, Until until) override {
    return wait_for(watch_, readiness, until);
  }
  void cancel() override { watch_->end(Ending::closed); }

 private:
  std::shared_ptr<Watch> watch_;
};

}  // namespace

std::unique_ptr<WatchedDescriptor> LoopDescriptorWatcher::watch(int descriptor) {
  return std::make_unique<LoopWatchedDescriptor>(std::make_shared<Watch>(scheduler_, descriptor));
}

}  // namespace forebay::real
