// The pool that everybody writes first: a mutex, a condition variable and a deque.
// The bench's yardstick.
//
// It keeps the caller's deadline, as a pool must, and does nothing else: no expiry, no cap
// arithmetic, no statistics, no report of who holds what. A woken waiter races with newcomers, so
// waiters are not served in order of arrival.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace forebay::bench {

class QueuePool {
 public:
  explicit QueuePool(int size) {
    for (int i = 0; i < size; ++i) ready_.push_back(i);
  }

  std::optional<int> acquire(std::chrono::nanoseconds timeout) {
    std::unique_lock lock(mutex_);
    if (!available_.wait_for(lock, timeout, [this] { return !ready_.empty(); }))
      return std::nullopt;
    const int connection = ready_.back();
    ready_.pop_back();
    return connection;
  }

  void give_back(int connection) {
    {
      std::lock_guard lock(mutex_);
      ready_.push_back(connection);
    }
    available_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable available_;
  std::deque<int> ready_;
};

}  // namespace forebay::bench
