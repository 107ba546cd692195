// SocketWatch: tells one task when a socket can be read, and another when it can be written. It
// owns the socket and its place in the loop.
//
// The loop is told once of what becomes ready. So a wait follows a call to the system that found
// nothing, or a look at is_due(): what was told while nobody waited is not told again.
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

  // It has become readable since begin_read().
  bool is_due() const { return is_due_; }
  // Whoever reads now hears of all that was told before.
  void begin_read() { is_due_ = false; }
  // The peer has finished, or something is wrong: a read may find less than it has room for, and
  // the next one that news.
  bool is_ending() const { return is_ending_; }
  void note_empty() { is_ending_ = false; }

  void interrupt_read() { read_.end(WaitEnding::timed_out); }
  void close();   // waits end with WaitEnding::closed
  int release();  // the socket, which is the caller's from now on. REQUIRES: nobody waits

 private:
  static void on_ready(Watched& watched, Poller::Events events);
  StreamWait::Until until(Poller::Events event, StreamWait& wait, Instant deadline);

  Poller& poller_;
  bool is_open_ = true;
  bool is_due_ = false;
  bool is_ending_ = false;
  StreamWait read_;
  StreamWait write_;
};

}  // namespace forebay::real
