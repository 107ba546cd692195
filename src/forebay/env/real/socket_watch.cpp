#include "forebay/env/real/socket_watch.hpp"

#include <system_error>
#include <utility>

#include <unistd.h>

namespace forebay::real {

Result<std::shared_ptr<SocketWatch>> SocketWatch::make(LoopScheduler& scheduler, int socket) {
  auto watch = std::make_shared<SocketWatch>(scheduler, socket);
  // Most are read first.
  const int error = scheduler.poller().add(*watch, Poller::kRead);
  if (error == 0) return watch;
  return failure(Errc::limit_reached,
                 "the loop cannot watch a socket: " + std::generic_category().message(error));
}

SocketWatch::SocketWatch(LoopScheduler& scheduler, int socket)
    : Watched(socket, &on_ready, Poller::Told::once),
      poller_(scheduler.poller()),
      read_(scheduler),
      write_(scheduler) {}

SocketWatch::~SocketWatch() { close(); }

// The loop has it already, so nothing can go wrong with asking for more.
StreamWait::Until SocketWatch::until(Poller::Events event, StreamWait& wait, Instant deadline) {
  if (is_open_ && event == Poller::kWrite) poller_.want(*this, event);
  return wait.until(deadline);
}

void SocketWatch::on_ready(Watched& watched, Poller::Events events) {
  SocketWatch& self = static_cast<SocketWatch&>(watched);
  if ((events & Poller::kEnd) != 0) self.is_ending_ = true;
  if ((events & Poller::kRead) != 0) {
    self.is_due_ = true;
    self.read_.end(WaitEnding::ready);
  }
  if ((events & Poller::kWrite) != 0) self.write_.end(WaitEnding::ready);
}

void SocketWatch::close() {
  if (std::exchange(is_open_, false)) {
    poller_.forget(*this);
    ::close(descriptor());
  }
  read_.end(WaitEnding::closed);
  write_.end(WaitEnding::closed);
}

int SocketWatch::release() {
  FOREBAY_CHECK(!read_.has_task() && !write_.has_task(),
                "a stream left its loop while a task waited for it");
  is_open_ = false;
  poller_.forget(*this);
  return descriptor();
}

}  // namespace forebay::real
