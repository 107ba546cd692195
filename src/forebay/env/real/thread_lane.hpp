// ThreadLane: the real BlockingLane, a small fixed set of threads that take work in order.
//
// submit() may be called from any thread until the destructor starts. The destructor does all the
// work that is still queued, because a task waits for each piece of it, and joins the threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "forebay/base/error.hpp"
#include "forebay/detail/base/mutex.hpp"
#include "forebay/env/blocking_lane.hpp"

namespace forebay::real {

class ThreadLane final : public BlockingLane {
 public:
  // Two: one slow name server must not hold up every other connect, and the work is rare.
  static constexpr int kThreads = 2;

  // If the system gives no threads, trouble() says so, and the lane is not used.
  explicit ThreadLane(int threads = kThreads);
  ThreadLane(const ThreadLane&) = delete;
  ThreadLane& operator=(const ThreadLane&) = delete;
  ~ThreadLane() override;

  const std::optional<Error>& trouble() const { return trouble_; }
  void submit(std::move_only_function<void()> work) override;

 private:
  using Work = std::move_only_function<void()>;

  void serve();
  // Waits for work. An empty one means that the lane closes.
  Work next_work() FOREBAY_EXCLUDES(mutex_);

  std::vector<std::thread> threads_;
  std::optional<Error> trouble_;
  std::condition_variable_any changed_;

  Mutex mutex_;
  std::deque<Work> queue_ FOREBAY_GUARDED_BY(mutex_);
  bool is_closing_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::real
