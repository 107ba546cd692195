#include "forebay/env/real/thread_lane.hpp"

#include "forebay/detail/base/check.hpp"
#include "forebay/env/real/start_thread.hpp"

namespace forebay::real {

ThreadLane::ThreadLane(int threads) {
  for (int count = 0; count < threads && !trouble_; ++count) {
    Result<std::thread> thread = start_thread("forebay-lane", [this] { serve(); });
    if (thread) {
      threads_.push_back(std::move(*thread));
    } else {
      trouble_ = thread.error();
    }
  }
}

ThreadLane::~ThreadLane() {
  {
    MutexLock lock(mutex_);
    is_closing_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void ThreadLane::submit(std::move_only_function<void()> work) {
  MutexLock lock(mutex_);
  FOREBAY_CHECK(!is_closing_, "work was submitted to a lane that is being destroyed");
  queue_.push_back(std::move(work));
  // Under the lock: once the work is done, its owner may destroy this lane.
  changed_.notify_one();
}

void ThreadLane::serve() {
  while (Work work = next_work()) work();
}

ThreadLane::Work ThreadLane::next_work() {
  MutexLock lock(mutex_);
  while (queue_.empty() && !is_closing_) changed_.wait(mutex_);
  if (queue_.empty()) return {};
  Work work = std::move(queue_.front());
  queue_.pop_front();
  return work;
}

}  // namespace forebay::real
