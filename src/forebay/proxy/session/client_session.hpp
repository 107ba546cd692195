// ClientSession: what a proxy does with each message of a client and of the server that serves it:
// passes it on, answers it itself, waits for a server, gives the server back, refuses it. Pure: it
// is shown frames and writes bytes into an Output.
//
//   Verdict verdict = session.from_client(frame, out);
//   if (verdict == Verdict::acquire) { session.attach(link.picture(), out); ... }
//
// What the client sees is what it would see with a server to itself, whichever servers its
// transactions ran on.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/base/error.hpp"
#include "forebay/proxy/session/server_picture.hpp"
#include "forebay/wire/protocol/frame_reader.hpp"

namespace forebay::proxy {

// What there is to send, in order: first this, then the frame, if the verdict is forward.
struct Output {
  std::string to_server;
  std::string to_client;
};

enum class Verdict : std::uint8_t {
  forward,  // the frame's bytes go to the other side as they are, after what is in the Output
  done,     // taken care of; what there is to say is in the Output
  acquire,  // it needs a server: bring one, attach() it, and show the same frame again when it
            // is_fitted(); or fail_unit() it and go on with the next frame
  end,      // the client said goodbye, or must go: send what is in the Output, and hang up
};

class ClientSession {
 public:
  // Writes the welcome: Ok, parameters, key, ReadyForQuery. acquire: a server must say first what
  // it makes of the parameters that the client wants; attach() it, and the welcome comes once it
  // is fitted.
  Verdict begin(const Parameters& greeting, Output& out);

  Verdict from_client(const wire::Frame& frame, Output& out);
  // end: the server is of no more use, and the client hears so.
  Verdict from_server(const wire::Frame& frame, Output& out);

  // This server serves now. Statements that make its parameters those of the client may be in the
  // Output then; the client's own go there only once is_fitted().
  void attach(ServerPicture& server, Output& out);
  bool is_attached() const;
  bool is_fitted() const;
  // Nothing is owed, no transaction is open, and nothing keeps this very server with this client.
  bool may_release() const;
  void release();

  // No server can be had: the client hears why, and what it sent up to its next Sync is skipped.
  void fail_unit(const Error& why, Output& out);
  // The server is gone while it served: the client hears so, as from a server that dies, and ends.
  void lose_server(const Error& why, Output& out);
  // True: something of this client is running on the server, and can be cancelled.
  bool is_busy() const;
};

}  // namespace forebay::proxy
