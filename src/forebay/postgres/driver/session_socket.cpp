// Talks to a socket behind libpq's back, as Dialogue does, but only to say goodbye.
#include "forebay/postgres/driver/session_socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forebay/env/sleep.hpp"

namespace forebay::postgres {

Result<std::unique_ptr<SessionSocket>> SessionSocket::share(DescriptorWatcher& watcher,
                                                            int descriptor) {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) {
    return failure(Errc::connect_failed,
                   fmt::format("cannot share a socket: {}", std::strerror(errno)));
  }
  return std::unique_ptr<SessionSocket>(new SessionSocket(watcher, own));
}

SessionSocket::~SessionSocket() {
  watch_.reset();
  ::close(descriptor_);
}

bool SessionSocket::is_same_socket(int descriptor) const {
  struct stat own{};
  struct stat other{};
  if (::fstat(descriptor_, &own) != 0 || ::fstat(descriptor, &other) != 0) return false;
  return own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

DescriptorWait SessionSocket::wait(Readiness readiness, Until until) {
  if (watch_ && !watch_->is_here()) watch_.reset();
  if (!watch_) watch_ = watcher_.watch(descriptor_);
  return watch_->wait(readiness, until);
}

void SessionSocket::cancel() {
  if (watch_) watch_->cancel();
}

Task<bool> SessionSocket::wait_until_gone(Scheduler& scheduler, ServerNotice server,
                                          Instant deadline) {
  if (!told_at_) {
    told_at_ = scheduler.now();
    say_goodbye(server);
  }
  for (;;) {
    const Look seen = lost_at_ ? Look::lost : look();
    if (seen == Look::gone) co_return true;
    if (seen == Look::lost && !lost_at_) lost_at_ = scheduler.now();
    const Instant end = ended_by(server, *told_at_, lost_at_);
    const Instant now = scheduler.now();
    if (now >= end) co_return true;
    if (now >= deadline) co_return false;
    const Instant until = std::min(end, deadline);
    if (lost_at_) {
      co_await sleep_until(scheduler, until);
      continue;
    }
    const Result<void> readable = co_await wait(Readiness::readable, until);
    if (!readable && readable.error().code() == Errc::closed) co_return false;
  }
}

// libpq sends no Terminate while it is still connecting, and may fail to send one if the socket is
// full; the end of our stream means the same to the server. From now on the system looks whether
// the other side is there, whatever the session itself was told.
void SessionSocket::say_goodbye(const ServerNotice& server) {
  static constexpr Duration kSilence = std::chrono::seconds(6);
  const NoticePlan plan = plan_notice(server.silence.value_or(kSilence));
  const auto set = [this](int level, int name, auto value) {
    const int number = static_cast<int>(value);
    ::setsockopt(descriptor_, level, name, &number, sizeof number);  // has no meaning on all
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, plan.keepalive_idle.count());
  set(IPPROTO_TCP, TCP_KEEPINTVL, plan.keepalive_interval.count());
  set(IPPROTO_TCP, TCP_KEEPCNT, plan.keepalive_count);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT,
      std::chrono::duration_cast<std::chrono::milliseconds>(plan.silence()).count());
  ::shutdown(descriptor_, SHUT_WR);
}

SessionSocket::Look SessionSocket::look() {
  // What is left of results is read and dropped, or a server that is still sending would never end;
  // in rounds, so that a long one does not hold up the loop.
  static constexpr int kReadsPerRound = 16;
  std::array<char, 16 * 1024> scrap;
  for (int round = 0; round < kReadsPerRound; ++round) {
    const ssize_t count = ::recv(descriptor_, scrap.data(), scrap.size(), MSG_DONTWAIT);
    if (count > 0) continue;
    if (count == 0) return is_silence_known_ ? Look::lost : Look::gone;
    switch (errno) {
      case EINTR: continue;
      case EAGAIN: return Look::open;
      case ECONNRESET:    // the other side knows of no such connection
      case EPIPE:         // the same, when we had sent something
      case ECONNREFUSED:  // there never was one
      case ENOTCONN: return Look::gone;
      default: return Look::lost;  // it is not heard of any more
    }
  }
  return Look::open;
}

}  // namespace forebay::postgres
