// SocketWatch: tells one task when a socket can be read, and another when it can be written. It
// owns the socket and its place in the loop.
//
// Confined to the loop's thread. Waiting allocates nothing, and a wait that runs into its deadline
// costs the loop nothing.
#pragma once

#include <memory>

#include "forebay/base/error.hpp"
#include "forebay/env/real/loop_scheduler.hpp"
#include "forebay/env/stream_wait.hpp"

namespace forebay::real {

class SocketWatch final : private Poller::Watched {
 public:
  // Takes the socket, whatever comes of it. REQUIRES: it does not block.
  static Result<std::shared_ptr<SocketWatch>> make(LoopScheduler& scheduler, int socket);
  SocketWatch(LoopScheduler& scheduler, int socket);
  ~SocketWatch();

  int socket() const { return descriptor(); }
  StreamWait::Until readable(Instant deadline) { return until(Poller::kRead, read_, deadline); }
  StreamWait::Until writable(Instant deadline) { return until(Poller::kWrite, write_, deadline); }

  void interrupt_read() { read_.end(WaitEnding::timed_out); }
  void close();   // waits end with WaitEnding::closed
  int release();  // the socket, which is the caller's from now on. REQUIRES: nobody waits

 private:
  static void on_ready(Watched& watched, Poller::Events events);
  StreamWait::Until until(Poller::Events event, StreamWait& wait, Instant deadline);

  Poller& poller_;
  bool is_open_ = true;
  StreamWait read_;
  StreamWait write_;
};

}  // namespace forebay::real
