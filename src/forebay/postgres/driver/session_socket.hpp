// SessionSocket: a second descriptor of the socket that libpq talks through, ours to watch
// and to keep.
//
// libpq closes its own descriptor whenever it likes: inside PQconnectPoll, on a lost connection,
// even on a caller's thread. A loop that watched that number could end up watching a stranger's
// socket. This one is closed by nobody else. It also shows when the server has let go of the
// session: PostgreSQL leaves the socket to the operating system, which closes it when the backend
// process is gone.
//
// Used by one task or thread at a time. It is registered with the loop of the task that waited
// last; a wait on another loop takes it there. Always: the watch dies before its descriptor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "forebay/core/notice.hpp"
#include "forebay/env/descriptor_watch.hpp"
#include "forebay/env/scheduler.hpp"
#include "forebay/env/task.hpp"

namespace forebay::postgres {

class SessionSocket {
 public:
  // Errc::connect_failed: the process has no descriptor left.
  static Result<std::unique_ptr<SessionSocket>> share(DescriptorWatcher& watcher, int descriptor);

  SessionSocket(const SessionSocket&) = delete;
  SessionSocket& operator=(const SessionSocket&) = delete;
  ~SessionSocket();

  // False if libpq has opened another socket since, even under the same number.
  bool is_same_socket(int descriptor) const;

  // To be awaited at once.
  DescriptorWait wait(Readiness readiness, Until until);
  void cancel();  // ends the wait in progress, if any, with Errc::closed
  // Takes the socket out of its loop until the next wait, so that the loop does not wake up for
  // every answer that a thread of the application is waiting for. On any thread.
  void unwatch() { watch_.reset(); }

  DescriptorWatcher& watcher() const { return watcher_; }
  int descriptor() const { return descriptor_; }

  // libpq was told by the system that nothing is heard of the server any more. What the socket says
  // after that looks like an end, and is none.
  void note_silence() { is_silence_known_ = true; }

  // Sends the end of our side and waits until the server has closed its own, until it must have, or
  // until the deadline. True: the server has let go. False: call it again. While its machine still
  // answers and the server has not closed, it has not let go, however long that takes. REQUIRES:
  // libpq is done with the socket (PQfinish).
  Task<bool> wait_until_gone(Scheduler& scheduler, ServerNotice server, Instant deadline);

 private:
  SessionSocket(DescriptorWatcher& watcher, int descriptor)
      : watcher_(watcher), descriptor_(descriptor) {}
  enum class Look : std::uint8_t { open, gone, lost };
  Look look();
  void say_goodbye(const ServerNotice& server);

  DescriptorWatcher& watcher_;
  const int descriptor_;
  std::unique_ptr<WatchedDescriptor> watch_;  // made by the first wait
  bool is_silence_known_ = false;
  std::optional<Instant> told_at_;  // when our side ended
  std::optional<Instant> lost_at_;  // when the system gave up on the other
};

}  // namespace forebay::postgres
