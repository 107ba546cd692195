// CancelRequest: asks a server, over a connection of its own, to cancel what a session is doing.
//
// The server counts no session for it, and needs no room. It is sent in the clear, as libpq 15
// sends its own, even if the session itself is encrypted: a reader on its way can cancel
// statements of that session, and nothing else. Nothing here blocks. Confined to the scheduler.
#pragma once

#include <memory>

#include "forebay/env/descriptor_watch.hpp"
#include "forebay/postgres/driver/cancel_key.hpp"

namespace forebay::postgres {

class CancelRequest {
 public:
  // To the server at the other end of that socket.
  CancelRequest(DescriptorWatcher& watcher, int session, const CancelKey& key)
      : watcher_(watcher), session_(session), key_(key) {}
  CancelRequest(const CancelRequest&) = delete;
  CancelRequest& operator=(const CancelRequest&) = delete;
  ~CancelRequest();

  // Ends well when the server has done it: the signal is with the session's process, so whatever is
  // sent to the session afterwards is not meant. Errors: connect_failed, timed_out; then it may
  // still be on its way. REQUIRES: called once.
  Task<Result<void>> run(Instant deadline);

 private:
  Result<bool> connect();  // false: it is on its way
  Result<void> send();

  DescriptorWatcher& watcher_;
  const int session_;
  const CancelKey key_;
  int descriptor_ = -1;
  std::unique_ptr<WatchedDescriptor> watch_;
};

}  // namespace forebay::postgres
