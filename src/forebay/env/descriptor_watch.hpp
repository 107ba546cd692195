// Waiting for a file descriptor that somebody else (libpq) owns and reads.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/env/until.hpp"

namespace forebay {

enum class Readiness : std::uint8_t { readable, writable, either };
enum class DescriptorEnding : std::uint8_t { ready, timed_out, cancelled, closed, broken };

class WatchedDescriptor;

// What `co_await watched.wait(...)` awaits: ends when the descriptor is ready (or broken: the next
// read tells), at the deadline with Errc::timed_out, with Errc::cancelled when it is cancelled, or
// with Errc::closed by cancel(). Lives in the frame of the waiting task. The watch may die once the
// wait has ended, before its task has run again.
class [[nodiscard]] DescriptorWait : private Cancellation::Listener {
 public:
  // To be awaited at once.
  DescriptorWait(WatchedDescriptor& watched, Readiness readiness, Until until)
      : Listener(&on_cancel), watched_(&watched), readiness_(readiness), until_(until) {}
  DescriptorWait(const DescriptorWait&) = delete;
  DescriptorWait& operator=(const DescriptorWait&) = delete;

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> task);
  Result<void> await_resume();

  // For the watch.
  Readiness readiness() const { return readiness_; }
  Instant deadline() const { return until_.deadline(); }
  // The task to be resumed.
  std::coroutine_handle<> finish(DescriptorEnding how) {
    watched_ = nullptr;
    ending_ = how;
    return task_;
  }

 private:
  static void on_cancel(Listener& listener);

  WatchedDescriptor* watched_;  // null: it has ended
  const Readiness readiness_;
  DescriptorEnding ending_ = DescriptorEnding::ready;
  int system_error_ = 0;  // of one that is broken
  const Until until_;
  std::coroutine_handle<> task_{};
};

// One descriptor, registered with the loop until this object dies. Never closes the descriptor; it
// must die before the descriptor is closed. Confined to the loop that made it, except that it may
// die on any thread while nobody waits: a descriptor moves to another loop that way.
class WatchedDescriptor {
 public:
  virtual ~WatchedDescriptor() = default;
  // False: it is registered with another loop than that of the task that asks.
  virtual bool is_here() const = 0;
  // At most one wait at a time.
  DescriptorWait wait(Readiness readiness, Until until) {
    return DescriptorWait(*this, readiness, until);
  }
  // Ends the wait in progress, if any, with Errc::closed.
  void cancel() { end(DescriptorEnding::closed); }

 private:
  friend class DescriptorWait;
  virtual Scheduler& scheduler() const = 0;
  // The number of the system's error; 0: the wait has begun.
  virtual int begin(DescriptorWait& wait) = 0;
  // Its task, if there is a wait, goes on in a later turn.
  virtual void end(DescriptorEnding how) = 0;
};

class DescriptorWatcher {
 public:
  virtual ~DescriptorWatcher() = default;
  virtual std::unique_ptr<WatchedDescriptor> watch(int descriptor) = 0;
};

}  // namespace forebay
