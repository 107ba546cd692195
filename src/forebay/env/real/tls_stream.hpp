// TlsStream: TLS over any ByteStream, driven by OpenSSL. It knows no sockets: OpenSSL talks to two
// rings of memory, and the stream below carries what is in them. So it runs over simulated streams
// too.
//
// Reading and writing beside each other is safe: only a write, a handshake and finish() send. What
// a read would have to send (an answer to a change of keys) waits for the next write, as TLS 1.3
// has it; TLS 1.2's renegotiation is off. A stream takes about 50 kB, and 85 kB when it has carried
// full records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/env/byte_stream.hpp"
#include "forebay/env/real/openssl_owned.hpp"
#include "forebay/env/real/tls_trouble.hpp"

namespace forebay::real {

class TlsStream final : public ByteStream {
 public:
  // REQUIRES: the session knows its side and has no streams of its own yet.
  TlsStream(OpensslOwned<SSL> session, std::unique_ptr<ByteStream> clear);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;
  ~TlsStream() override = default;

  // Before anything else. What was read from the stream below and not used comes first. The name is
  // the one to be asked for; empty on the server's side.
  Task<Result<void>> shake_hands(ConstBytes read_ahead, std::string server_name, Instant deadline);

  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override;
  void interrupt_read() override { clear_->interrupt_read(); }
  Task<Result<void>> write(std::span<const ConstBytes> pieces, Instant deadline) override;
  Task<Result<void>> finish(Instant deadline) override;
  void close() override { clear_->close(); }
  const StreamPeer& peer() const override { return peer_; }
  void leave() override { clear_->leave(); }
  Result<void> join(StreamNetwork& network) override { return clear_->join(network); }

 private:
  // From the stream below into OpenSSL's ring. False: it has ended.
  Task<Result<bool>> receive(Instant deadline);
  // All that OpenSSL wants to say.
  Task<Result<void>> send(Instant deadline);
  Task<Result<void>> encrypt(ConstBytes bytes, Instant deadline);
  // The first small pieces in one, so that each need not be a record of its own; or the first one
  // if it is large. Takes them off the pieces.
  ConstBytes next_chunk(std::span<const ConstBytes>& pieces);
  void learn_peer(const std::string& server_name);
  std::unexpected<Error> broken(std::string why);

  const std::unique_ptr<ByteStream> clear_;
  StreamPeer peer_;
  CertificateNote note_;
  OpensslOwned<SSL> session_;
  OpensslOwned<BIO> ring_;  // our end; OpenSSL has the other
  std::vector<std::byte> joined_;
  bool is_broken_ = false;  // a write failed in the middle, or what came made no sense
};

}  // namespace forebay::real
