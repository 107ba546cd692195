// SocketWatch: tells one task when a socket can be read, and another when it can be written. It
// owns the socket and its place in the loop.
//
// Confined to the loop's thread. Each direction has at most one wait of Asio's under way, which
// stays there when its task has stopped waiting, and serves the next; so a wait that runs into its
// deadline costs the loop nothing. The loop keeps a share of this object with each of Asio's waits.
// Not installed: it knows Asio.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include "forebay/base/error.hpp"
#include "forebay/env/stream_wait.hpp"

namespace forebay::real {

// Memory for one wait in the loop, so that waiting allocates nothing.
class WaitMemory {
 public:
  void* take(std::size_t size) {
    if (is_taken_ || size > storage_.size()) return ::operator new(size);
    is_taken_ = true;
    return storage_.data();
  }
  void give_back(void* memory) {
    if (memory == storage_.data()) {
      is_taken_ = false;
    } else {
      ::operator delete(memory);
    }
  }

 private:
  alignas(std::max_align_t) std::array<std::byte, 256> storage_;
  bool is_taken_ = false;
};

class SocketWatch final : public std::enable_shared_from_this<SocketWatch> {
 public:
  // Takes the socket, whatever comes of it. REQUIRES: it does not block.
  static Result<std::shared_ptr<SocketWatch>> make(boost::asio::io_context& context,
                                                   Scheduler& scheduler, int socket);
  SocketWatch(boost::asio::io_context& context, Scheduler& scheduler);

  int socket() { return descriptor_.native_handle(); }
  StreamWait::Until readable(Instant deadline) { return ask(read_).until(deadline); }
  StreamWait::Until writable(Instant deadline) { return ask(write_).until(deadline); }

  void interrupt_read() { read_.wait.end(WaitEnding::timed_out); }
  void close();   // waits end with WaitEnding::closed
  int release();  // the socket, which is the caller's from now on. REQUIRES: nobody waits

 private:
  using Descriptor =
      boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;

  struct Direction {
    Direction(Scheduler& scheduler, Descriptor::wait_type kind) : what(kind), wait(scheduler) {}
    const Descriptor::wait_type what;
    StreamWait wait;
    bool is_asked = false;
    WaitMemory memory;
  };
  struct WaitHandler;

  StreamWait& ask(Direction& direction);

  Descriptor descriptor_;
  Direction read_;
  Direction write_;
};

}  // namespace forebay::real
