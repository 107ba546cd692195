// Errand: what a thread in line wants done first with the connection that it waits for. Whoever
// hands the connection over begins it in the thread's place, and the thread is woken by the answer:
// once, where it would otherwise be woken for its turn and then again.
//
// In the line it is a waiter like all others. Lives on the stack of its thread, and is confined to
// it but for begin().
#pragma once

#include <atomic>
#include <source_location>

#include "forebay/base/error.hpp"
#include "forebay/base/thread_mark.hpp"
#include "forebay/detail/core/waiter.hpp"
#include "forebay/pool/pooled_connection.hpp"

namespace forebay {

class Connection;
class DescriptorParker;
class Exchange;

class Errand : private Waiter {
 public:
  Errand(Instant patience_end, const std::source_location& caller)
      : Waiter(&hand_over, Instant{}, patience_end, caller) {}
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;
  virtual ~Errand() = default;

  const std::source_location& place() const { return from; }  // of its caller

 protected:
  // On the thread of whoever hands the connection over, without a lock: goes as far as that needs
  // no waiting. The descriptor that can be read when its thread can go on; below zero: it can now.
  virtual int begin(Connection& connection) noexcept = 0;

 private:
  friend Result<PooledConnection> wait_for_errand(Exchange& exchange, Errand& errand);
  static void hand_over(Waiter& waiter);
  void sleep(Exchange& exchange);

  const void* const thread_ = thread_mark();
  DescriptorParker* sleeper_ = nullptr;  // of the thread, once it stands in line
  int awaited_ = -1;                     // the descriptor by which it is woken
  std::atomic<bool> is_begun_ = false;   // what is above, and the errand, is the thread's again
};

}  // namespace forebay
