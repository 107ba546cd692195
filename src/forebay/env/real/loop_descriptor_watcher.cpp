#include "forebay/env/real/loop_descriptor_watcher.hpp"

#include <utility>

#include "forebay/detail/base/check.hpp"

namespace forebay::real {
namespace {

Poller::Events events_of(Readiness readiness) {
  switch (readiness) {
    case Readiness::readable: return Poller::kRead;
    case Readiness::writable: return Poller::kWrite;
    case Readiness::either: return Poller::kRead | Poller::kWrite;
  }
  std::unreachable();
}

// Always: wait_ is set while a wait is in progress. The one that clears it says how the wait ended
// and resumes the task, so a wait ends once.
class LoopWatchedDescriptor final : public WatchedDescriptor,
                                    private Timer,
                                    private Poller::Watched {
 public:
  LoopWatchedDescriptor(LoopScheduler& scheduler, int descriptor)
      : Timer(&expire), Watched(descriptor, &on_ready), scheduler_(scheduler) {}
  // Leaves the descriptor open, and the loop without any interest in it.
  ~LoopWatchedDescriptor() override {
    FOREBAY_CHECK(wait_ == nullptr, "a descriptor's watch died during a wait");
    scheduler_.poller().forget(*this);
  }

  bool is_here() const override { return scheduler_.is_current_thread(); }

 private:
  Scheduler& scheduler() const override { return scheduler_; }
  int begin(DescriptorWait& wait) override {
    FOREBAY_CHECK(wait_ == nullptr, "a descriptor has one wait at a time");
    const int error = scheduler_.poller().want(*this, events_of(wait.readiness()));
    if (error != 0) return error;
    wait_ = &wait;
    if (wait.deadline() != kNever) scheduler_.arm(*this, wait.deadline());
    return 0;
  }
  void end(DescriptorEnding how) override {
    if (wait_ == nullptr) return;
    scheduler_.disarm(*this);
    scheduler_.post(finish(how));
  }

  static void on_ready(Watched& watched, Poller::Events) {
    static_cast<LoopWatchedDescriptor&>(watched).end(DescriptorEnding::ready);
  }
  static void expire(Timer& timer) {
    // It has a wait: the end of a wait disarms the timer.
    static_cast<LoopWatchedDescriptor&>(timer).finish(DescriptorEnding::timed_out).resume();
  }
  std::coroutine_handle<> finish(DescriptorEnding how) {
    Poller::unwant(*this);
    return std::exchange(wait_, nullptr)->finish(how);
  }

  LoopScheduler& scheduler_;
  DescriptorWait* wait_ = nullptr;
};

}  // namespace

std::unique_ptr<WatchedDescriptor> LoopDescriptorWatcher::watch(int descriptor) {
  return std::make_unique<LoopWatchedDescriptor>(scheduler_, descriptor);
}

}  // namespace forebay::real
