// ByteStream: bytes to and from one peer, in order. TCP, a Unix socket, TLS over either, or
// simulated.
//
// A stream belongs to one loop, and is confined to its scheduler. One read and one write (or
// finish) may be under way at a time, beside each other. A deadline ends the wait of a call, not a
// call that need not wait. After a write has failed the stream can only be closed: nobody knows how
// much arrived. A read that ran into its deadline has lost nothing and may be repeated.
//
// To move a stream to another loop: leave() on its own, hand the object over, join() on the other.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "forebay/base/error.hpp"
#include "forebay/env/task.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

class StreamNetwork;

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

// Who is at the other end, as texts for people and for rules about who may do what.
struct StreamPeer {
  explicit StreamPeer(std::string where) : address(std::move(where)) {}

  std::string address;  // "10.0.0.7:51234", "[::1]:51234", "unix:/run/x.sock", "unix:uid=33,pid=7"
  // Only with TLS:
  std::string server_name;          // which server the client asked for (SNI)
  std::string certificate_subject;  // "CN=app,O=Example"; empty: it showed none, or none was asked
  std::string protocol;             // what both agreed on by ALPN
};

class ByteStream {
 public:
  // Hangs up if that has not been done. REQUIRES: no call is under way.
  virtual ~ByteStream() = default;

  // Waits for at least one byte, and answers with how many there were; 0: the peer has finished.
  // Allocates nothing once the stream has warmed up. Errors: timed_out, closed, connection_lost.
  // REQUIRES: the buffer is not empty, and stays.
  virtual Task<Result<std::size_t>> read(Bytes into, Instant deadline) = 0;
  // A read under way waits no longer: it brings what there is, or ends with Errc::timed_out, on a
  // later turn, and may be repeated. Without one this does nothing.
  virtual void interrupt_read() = 0;
  // All of the pieces, one after the other, or an error: timed_out, closed, connection_lost. Waits
  // while the peer reads more slowly than this. REQUIRES: pieces and what they show stay.
  virtual Task<Result<void>> write(std::span<const ConstBytes> pieces, Instant deadline) = 0;
  // As many of the bytes as go without waiting, and how many: none, if the stream has to wait or to
  // work for each. What is left, also after an error, is for write(). REQUIRES: no write is under
  // way.
  virtual Result<std::size_t> write_now(ConstBytes) { return std::size_t{0}; }
  // Tells the peer that nothing more comes. Its bytes can still be read.
  virtual Task<Result<void>> finish(Instant deadline) = 0;
  // Hangs up at once. Calls under way end with Errc::closed, on a later turn, as do later ones.
  virtual void close() = 0;

  virtual const StreamPeer& peer() const = 0;

  // Takes the stream off its loop. REQUIRES: no call is under way, and none comes before join().
  virtual void leave() = 0;
  // Makes it a stream of the network's loop. Called there. An error leaves it closed.
  virtual Result<void> join(StreamNetwork& network) = 0;
};

}  // namespace forebay
