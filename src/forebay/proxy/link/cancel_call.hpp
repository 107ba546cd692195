// A CancelRequest, over a stream of its own.
//
// The server counts no session for it, and needs no room. It is sent in the clear, as libpq 15
// sends its own, even if the session itself has TLS: a reader on its way can cancel statements of
// that session, and nothing else.
#pragma once

#include "forebay/env/stream_network.hpp"
#include "forebay/proxy/link/cancel_key.hpp"

namespace forebay::proxy {

// Ends well when the server has hung up: then the signal is with the session's process, so whatever
// is sent to the session afterwards is not meant. Errors: connect_failed, timed_out; then it may
// still be on its way.
Task<Result<void>> call_to_cancel(StreamNetwork& network, StreamAddress to, CancelKey key,
                                  Instant deadline);

// Where the other end of a stream is: of a name that has several addresses, the very one.
StreamAddress address_of(const StreamPeer& peer, const StreamAddress& called);

}  // namespace forebay::proxy
