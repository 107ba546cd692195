// RemoteCancellation: a Cancellation that any thread can ask for.
//
// Shared by those who ask and the task that is asked. The request arrives on a later turn of the
// task's scheduler. After end() a request does nothing, and the scheduler may go.
#pragma once

#include <memory>

#include "forebay/env/cancellation.hpp"

namespace forebay {

class RemoteCancellation {
 public:
  static std::shared_ptr<RemoteCancellation> make(Scheduler& scheduler);
  RemoteCancellation(const RemoteCancellation&) = delete;
  RemoteCancellation& operator=(const RemoteCancellation&) = delete;

  // From any thread, any number of times.
  void request();

  // For tasks of the scheduler.
  Cancellation& cancellation() { return cancellation_; }
  void end();

 private:
  class Shared;
  explicit RemoteCancellation(Scheduler& scheduler) : cancellation_(scheduler) {}
  ~RemoteCancellation() = default;

  Cancellation cancellation_;
};

}  // namespace forebay
