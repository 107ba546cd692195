#include "forebay/postgres/driver/cancel_request.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace forebay::postgres {
namespace {

constexpr std::uint32_t kCancelCode = 80877102;  // of the protocol

std::unexpected<Error> failed(const char* step, int error) {
  return failure(Errc::connect_failed, fmt::format("the cancel request could not be sent: {}: {}",
                                                   step, std::strerror(error)));
}

}  // namespace

CancelRequest::~CancelRequest() {
  watch_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
}

Task<Result<void>> CancelRequest::run(Instant deadline) {
  const Result<bool> connected = connect();
  if (!connected) co_return failure(connected.error());
  watch_ = watcher_.watch(descriptor_);
  if (!*connected) {
    const Result<void> writable = co_await watch_->wait(Readiness::writable, deadline);
    if (!writable) co_return writable;
  }
  const Result<void> sent = send();
  if (!sent) co_return sent;
  // The server says nothing, and closes when it has passed the signal on.
  for (;;) {
    const Result<void> readable = co_await watch_->wait(Readiness::readable, deadline);
    if (!readable) co_return readable;
    char unexpected = 0;
    const ssize_t count = ::recv(descriptor_, &unexpected, 1, MSG_DONTWAIT);
    if (count == 0) co_return Result<void>();
    const bool is_early = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (count < 0 && !is_early) co_return failed("recv", errno);
  }
}

Result<bool> CancelRequest::connect() {
  sockaddr_storage server{};
  socklen_t size = sizeof server;
  auto* const address = reinterpret_cast<sockaddr*>(&server);
  if (::getpeername(session_, address, &size) != 0) return failed("getpeername", errno);
  descriptor_ = ::socket(server.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor_ < 0) return failed("socket", errno);
  if (::connect(descriptor_, address, size) == 0) return true;
  if (errno == EINPROGRESS) return false;
  return failed("connect", errno);
}

Result<void> CancelRequest::send() {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return failed("connect", error);
  const std::array<std::uint32_t, 4> packet = {htonl(sizeof packet), htonl(kCancelCode),
                                               htonl(static_cast<std::uint32_t>(key_.process)),
                                               htonl(static_cast<std::uint32_t>(key_.secret))};
  const ssize_t count = ::send(descriptor_, packet.data(), sizeof packet, MSG_NOSIGNAL);
  if (count != static_cast<ssize_t>(sizeof packet)) return failed("send", count < 0 ? errno : EIO);
  return {};
}

}  // namespace forebay::postgres
