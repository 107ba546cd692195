// TLS, begun at any point of a stream, on either side. The stream that comes out behaves like any
// other, and owns the one in the clear.
//
// A stream that ends without TLS's own goodbye is connection_lost, not finished: somebody between
// may have cut it. finish() says that goodbye.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "forebay/env/byte_stream.hpp"

namespace forebay {

// What came before TLS, and so what bytes mean that were read from the stream and not used yet.
enum class TlsOpening : std::uint8_t {
  // Both sides agreed on it in the clear, as PostgreSQL's SSLRequest does. Nobody may have said
  // more before TLS began: such bytes are refused, or a stranger between could slip in commands
  // that would seem to have come through TLS (CVE-2021-23214, CVE-2021-23222).
  negotiated,
  // The stream begins with it. Such bytes were read to see what the client speaks, and are TLS's.
  direct,
};

struct TlsServerOptions {
  TlsServerOptions() = default;
  std::string certificate_file;  // PEM: the server's own, then those between it and its CA
  std::string key_file;          // PEM, without a passphrase
  std::string client_ca_file;    // who vouches for clients; empty: they are not asked
  bool is_client_certificate_required = false;
  std::string protocol;  // by ALPN, "postgresql" say; a client that offers others only is refused
};

enum class TlsVerify : std::uint8_t {
  none,         // encrypted, but with whom nobody knows
  certificate,  // somebody we trust vouches for the server (verify-ca)
  name,         // and it is the server that we asked for (verify-full)
};

struct TlsClientOptions {
  TlsClientOptions() = default;
  TlsVerify verify = TlsVerify::name;
  std::string ca_file;           // whom we trust; empty: whom the system trusts
  std::string certificate_file;  // our own, for servers that ask; empty: none
  std::string key_file;
  std::string protocol;  // by ALPN; empty: none is offered
};

// Shared by any number of streams and loops; each handshake is confined to its stream's loop.
// Errors of both: connect_failed, with what is wrong and what to do about it; refused, for bytes
// that came too early; timed_out; connection_lost. The stream in the clear is closed then.
class TlsServer {
 public:
  virtual ~TlsServer() = default;
  // REQUIRES: read_ahead stays. It is what was read from the stream and not used.
  virtual Task<Result<std::unique_ptr<ByteStream>>> accept(std::unique_ptr<ByteStream> clear,
                                                           TlsOpening opening,
                                                           ConstBytes read_ahead,
                                                           Instant deadline) = 0;
};

class TlsClient {
 public:
  virtual ~TlsClient() = default;
  // The name is asked for (SNI, if it is no IP address) and, with TlsVerify::name, checked.
  virtual Task<Result<std::unique_ptr<ByteStream>>> connect(std::unique_ptr<ByteStream> clear,
                                                            std::string server_name,
                                                            ConstBytes read_ahead,
                                                            Instant deadline) = 0;
};

}  // namespace forebay
