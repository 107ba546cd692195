// ServerLink: a session on a server, as the proxy has it: our own protocol over a stream.
//
// The one who holds it reads frames(), writes to stream() and keeps picture() true, which tells the
// link what has to be done before somebody else may have it: nothing, a reset, or a cancel first.
// Confined to the loop of its stream.
#pragma once

#include <memory>

#include "forebay/env/byte_stream.hpp"
#include "forebay/pool/connection.hpp"
#include "forebay/proxy/session/server_picture.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::proxy {

class ServerLink final : public Connection {
 public:
  ByteStream& stream();
  wire::FrameReader& frames();
  ServerPicture& picture();

  // A look at what has come since it was used last, without waiting: the server may have ended the
  // session meanwhile. False: take another one.
  Task<bool> is_still_there();
  // The stream broke, or the server ended the session: nobody can use it any more.
  void mark_lost();
  // Asks the server, by a connection of its own, to end what the session does now, and ends when
  // the server has done so or the deadline has passed. Nobody else may have the session before.
  Task<Result<void>> request_cancel(Instant deadline);

  bool is_usable() const noexcept override;
  bool needs_reset() const noexcept override;
  bool needs_cancel() const noexcept override;
  Task<Result<void>> cancel(Instant deadline) override;
  Task<Result<void>> reset(Instant deadline) override;
  Task<Result<void>> check(Instant deadline) override;
  Task<bool> close(Instant deadline) override;
};

}  // namespace forebay::proxy
