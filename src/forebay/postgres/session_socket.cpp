// The only file of this folder that talks to a socket behind libpq's back, and only to say goodbye.
#include "forebay/postgres/session_socket.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

Task<Result<void>> SessionSocket::wait(Readiness readiness, Instant deadline) {
  if (!watch_) watch_ = watcher_.watch(descriptor_);
  return watch_->wait(readiness, deadline);
}

void SessionSocket::cancel() {
  if (watch_) watch_->cancel();
}

Task<bool> SessionSocket::see_off(Instant deadline) {
  // libpq sends no Terminate while it is still connecting, and may fail to send one if the socket
  // is full; the end of our stream means the same to the server.
  ::shutdown(descriptor_, SHUT_WR);
  while (!has_server_left()) {
    const Result<void> readable = co_await wait(Readiness::readable, deadline);
    if (!readable) co_return false;
  }
  co_return true;
}

bool SessionSocket::has_server_left() {
  // What is left of results is read and dropped, or a server that is still sending would never end;
  // in rounds, so that a long one does not hold up the loop.
  static constexpr int kReadsPerRound = 16;
  std::array<char, 16 * 1024> scrap;
  for (int round = 0; round < kReadsPerRound; ++round) {
    const ssize_t count = ::recv(descriptor_, scrap.data(), scrap.size(), MSG_DONTWAIT);
    if (count == 0) return true;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return errno != EAGAIN && errno != EWOULDBLOCK;  // reset by the server: gone as well
  }
  return false;
}

}  // namespace forebay::postgres
