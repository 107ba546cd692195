// SocketStream: a ByteStream over a connected socket, TCP or Unix. It reads into the caller's
// memory and writes from it; nothing is kept in between.
//
// A read that brought less than it had room for took all that was there. The next one waits for the
// loop to tell of more, instead of asking the system for what is not there.
//
// A task that always finds something to read would never let another one run, so one call in
// kMostAtOnce lets others go first.
#pragma once

#include <memory>

#include <sys/types.h>

#include "forebay/env/byte_stream.hpp"
#include "forebay/env/read_interrupt.hpp"
#include "forebay/env/real/socket_watch.hpp"

namespace forebay::real {

class SocketStream final : public ByteStream {
 public:
  SocketStream(std::shared_ptr<SocketWatch> watch, Scheduler& scheduler, StreamPeer peer);
  SocketStream(const SocketStream&) = delete;
  SocketStream& operator=(const SocketStream&) = delete;
  ~SocketStream() override;

  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override;
  void interrupt_read() override;
  Task<Result<void>> write(std::span<const ConstBytes> pieces, Instant deadline) override;
  Result<std::size_t> write_now(ConstBytes bytes) override;
  Task<Result<void>> finish(Instant deadline) override;
  void close() override;
  const StreamPeer& peer() const override { return peer_; }
  void leave() override;
  Result<void> join(StreamNetwork& network) override;

 private:
  static constexpr int kMostAtOnce = 16;
  class Call;

  // Why the call cannot go on; nothing: it can.
  Result<void> check_open() const;
  ssize_t receive(Bytes into);
  bool is_due_to_yield();
  static std::unexpected<Error> closed();
  std::unexpected<Error> lost(const char* doing, int error) const;
  std::unexpected<Error> ended(WaitEnding how, const char* waited_for) const;

  std::shared_ptr<SocketWatch> watch_;  // null: between two loops
  Scheduler* scheduler_;
  const StreamPeer peer_;
  int moved_socket_ = -1;  // between two loops
  int at_once_ = 0;        // calls to the system since the last wait
  int calls_ = 0;
  ReadInterrupt interrupt_;
  bool is_drained_ = false;  // by the last read
  bool is_closed_ = false;
};

}  // namespace forebay::real
