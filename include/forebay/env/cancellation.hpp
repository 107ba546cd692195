// Cancellation: tells tasks of one scheduler, once and for all, that what they do is no longer
// wanted: a client has gone away, a pool closes.
//
// Nothing is interrupted. A task that waits and listens stops waiting, and ends by itself; what
// cannot listen is raced against it. Most code does not meet it by itself, but as part of an
// Until. Listening allocates nothing. Confined to its scheduler; for other threads there is
// RemoteCancellation. It outlives those who listen.
#pragma once

#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/scheduler.hpp"

namespace forebay {

class Cancellation {
 public:
  // Lives in the frame of the waiting task.
  struct Listener {
    using Action = void (*)(Listener&);
    explicit Listener(Action on_cancel) : action(on_cancel) {}

    Action action;  // runs inside cancel(), so it posts a task and resumes none
    ListLink<Listener> link;
  };

  explicit Cancellation(Scheduler& scheduler) : scheduler_(scheduler) {}
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  Scheduler& scheduler() const { return scheduler_; }
  bool is_cancelled() const { return is_cancelled_; }

  // Listeners are told now and resume on a later turn; later ones do not begin to wait. A second
  // call does nothing.
  void cancel();

  // REQUIRES: it is not cancelled yet.
  void listen(Listener& listener);
  // Does nothing for a listener that has been told, or never listened.
  void leave(Listener& listener) {
    if (listener.link.is_linked()) listeners_.erase(listener);
  }

  class [[nodiscard]] Wait : private Timer, private Listener {
   public:
    Wait(Cancellation& cancellation, Instant deadline)
        : Timer(&expire), Listener(&on_cancel), cancellation_(cancellation), deadline_(deadline) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

    bool await_ready() const {
      return cancellation_.is_cancelled_ || cancellation_.scheduler_.now() >= deadline_;
    }
    void await_suspend(std::coroutine_handle<> task);
    // True: cancelled. False: the deadline passed.
    bool await_resume() const { return cancellation_.is_cancelled_; }

   private:
    static void expire(Timer& timer);
    static void on_cancel(Listener& listener);

    Cancellation& cancellation_;
    const Instant deadline_;
    std::coroutine_handle<> task_{};
  };

  // A pause that ends early when it is cancelled.
  Wait wait_until(Instant deadline) { return Wait(*this, deadline); }

 private:
  Scheduler& scheduler_;
  IntrusiveList<Listener, &Listener::link> listeners_;
  bool is_cancelled_ = false;
};

}  // namespace forebay
