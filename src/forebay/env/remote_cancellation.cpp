#include "forebay/detail/env/remote_cancellation.hpp"

#include <utility>

#include "forebay/detail/base/mutex.hpp"
#include "forebay/detail/env/detached.hpp"

namespace forebay {

// Every RemoteCancellation is one of these; callers need not see its lock.
class RemoteCancellation::Shared final : public RemoteCancellation,
                                         public std::enable_shared_from_this<Shared> {
 public:
  explicit Shared(Scheduler& scheduler) : RemoteCancellation(scheduler) {}

  void request() {
    MutexLock lock(mutex_);
    if (std::exchange(is_over_, true)) return;
    // Under the lock, so that end() waits for it: the scheduler is certainly there.
    cancellation().scheduler().post(cancel(shared_from_this()).frame);
  }
  void end() {
    MutexLock lock(mutex_);
    is_over_ = true;
  }

 private:
  static Detached cancel(std::shared_ptr<Shared> self) {
    self->cancellation().cancel();
    co_return;
  }

  Mutex mutex_;
  bool is_over_ FOREBAY_GUARDED_BY(mutex_) = false;  // requested, or the task has ended
};

std::shared_ptr<RemoteCancellation> RemoteCancellation::make(Scheduler& scheduler) {
  return std::make_shared<Shared>(scheduler);
}

void RemoteCancellation::request() { static_cast<Shared*>(this)->request(); }

void RemoteCancellation::end() { static_cast<Shared*>(this)->end(); }

}  // namespace forebay
