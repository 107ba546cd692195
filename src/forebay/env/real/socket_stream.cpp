#include "forebay/env/real/socket_stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/real/socket_network.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::real {
namespace {

// What is left of a write, in parts that one call to the system takes.
class Gather {
 public:
  explicit Gather(std::span<const ConstBytes> pieces) : pieces_(pieces) { skip_empty(); }

  bool is_done() const { return pieces_.empty(); }
  // Valid until the next call.
  std::span<iovec> parts() {
    std::size_t count = 0;
    for (const ConstBytes& piece : pieces_) {
      if (count == parts_.size()) break;
      const ConstBytes rest = count == 0 ? piece.subspan(begun_) : piece;
      // The system only reads; the interface is older than const.
      parts_[count++] = {const_cast<std::byte*>(rest.data()), rest.size()};
    }
    return std::span(parts_).first(count);
  }
  void advance(std::size_t sent) {
    begun_ += sent;
    skip_empty();
  }

 private:
  void skip_empty() {
    while (!pieces_.empty() && begun_ >= pieces_.front().size()) {
      begun_ -= pieces_.front().size();
      pieces_ = pieces_.subspan(1);
    }
  }

  std::span<const ConstBytes> pieces_;
  std::size_t begun_ = 0;  // of the first piece
  std::array<iovec, 16> parts_;
};

constexpr const char* kBetweenLoops = "a stream was used between two loops";

bool is_worth_waiting(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

// While a call is under way.
class SocketStream::Call {
 public:
  explicit Call(SocketStream& stream) : stream_(stream) { ++stream_.calls_; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { --stream_.calls_; }

 private:
  SocketStream& stream_;
};

SocketStream::SocketStream(std::shared_ptr<SocketWatch> watch, Scheduler& scheduler,
                           StreamPeer peer)
    : watch_(std::move(watch)), scheduler_(&scheduler), peer_(std::move(peer)) {}

SocketStream::~SocketStream() {
  FOREBAY_CHECK(calls_ == 0, "a stream died during a read or a write");
  close();
}

Task<Result<std::size_t>> SocketStream::read(Bytes into, Instant deadline) {
  FOREBAY_CHECK(!into.empty(), "a read needs room for a byte");
  const Call call(*this);
  const ReadInterrupt::Read reading(interrupt_);
  for (bool looks = !is_drained_ || (watch_ != nullptr && watch_->is_due());; looks = true) {
    if (looks && is_due_to_yield()) co_await Yield(*scheduler_);
    if (is_closed_) co_return closed();
    if (looks) {
      const ssize_t got = receive(into);
      if (got >= 0) co_return static_cast<std::size_t>(got);
      if (!is_drained_) co_return lost("read from", static_cast<int>(-got));
    }
    at_once_ = 0;
    if (interrupt_.is_asked()) co_return ended(WaitEnding::timed_out, "nothing was sent");
    const WaitEnding ending = co_await watch_->readable(deadline);
    // Who has not looked yet does so before the deadline counts.
    const bool is_late = ending == WaitEnding::timed_out && (looks || interrupt_.is_asked());
    if (is_late || ending == WaitEnding::closed) co_return ended(ending, "nothing was sent");
  }
}

// How many bytes there were; below zero: the number of the system's error.
ssize_t SocketStream::receive(Bytes into) {
  FOREBAY_CHECK(watch_ != nullptr, kBetweenLoops);
  watch_->begin_read();
  for (;;) {
    const ssize_t got = ::recv(watch_->socket(), into.data(), into.size(), 0);
    const int error = got < 0 ? errno : 0;
    if (error == EINTR) continue;
    const bool is_empty = is_worth_waiting(error);
    if (is_empty) watch_->note_empty();
    const bool is_short = error == 0 && static_cast<std::size_t>(got) < into.size();
    is_drained_ = is_empty || (is_short && !watch_->is_ending());
    return error != 0 ? -error : got;
  }
}

void SocketStream::interrupt_read() {
  interrupt_.ask();
  if (watch_ != nullptr) watch_->interrupt_read();
}

Task<Result<void>> SocketStream::write(std::span<const ConstBytes> pieces, Instant deadline) {
  const Call call(*this);
  Gather rest(pieces);
  while (!rest.is_done()) {
    if (is_due_to_yield()) co_await Yield(*scheduler_);
    if (Result<void> open = check_open(); !open) co_return failure(std::move(open).error());
    const std::span<iovec> parts = rest.parts();
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = ::sendmsg(watch_->socket(), &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      rest.advance(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (!is_worth_waiting(errno)) co_return lost("written to", errno);
    at_once_ = 0;
    const WaitEnding ending = co_await watch_->writable(deadline);
    if (ending != WaitEnding::ready) co_return ended(ending, "not everything was read");
  }
  co_return Result<void>();
}

Result<std::size_t> SocketStream::write_now(ConstBytes bytes) {
  if (is_closed_) return closed();
  FOREBAY_CHECK(watch_ != nullptr, kBetweenLoops);
  const ssize_t sent = ::send(watch_->socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno == EINTR || is_worth_waiting(errno)) return std::size_t{0};
  return lost("written to", errno);
}

Task<Result<void>> SocketStream::finish(Instant) {
  if (Result<void> open = check_open(); !open) co_return open;
  // ENOTCONN: the peer has hung up already, and need not be told.
  if (::shutdown(watch_->socket(), SHUT_WR) != 0 && errno != ENOTCONN)
    co_return lost("written to", errno);
  co_return Result<void>();
}

void SocketStream::close() {
  is_closed_ = true;
  if (watch_ != nullptr) watch_->close();
  if (moved_socket_ >= 0) ::close(std::exchange(moved_socket_, -1));
}

void SocketStream::leave() {
  FOREBAY_CHECK(calls_ == 0, "a stream left its loop during a read or a write");
  if (is_closed_) return;
  moved_socket_ = watch_->release();
  watch_.reset();
}

Result<void> SocketStream::join(StreamNetwork& network) {
  if (is_closed_) return failure(Errc::closed, "the stream is closed");
  FOREBAY_CHECK(watch_ == nullptr, "a stream joins another loop when it has left its own");
  auto* const sockets = dynamic_cast<SocketNetwork*>(&network);
  FOREBAY_CHECK(sockets != nullptr, "a socket cannot join a network that is not real");
  Result<std::shared_ptr<SocketWatch>> watch = sockets->watch(std::exchange(moved_socket_, -1));
  if (!watch) {
    is_closed_ = true;
    return failure(std::move(watch).error());
  }
  watch_ = std::move(*watch);
  scheduler_ = &sockets->scheduler();
  return {};
}

Result<void> SocketStream::check_open() const {
  if (is_closed_) return closed();
  FOREBAY_CHECK(watch_ != nullptr, kBetweenLoops);
  return {};
}

bool SocketStream::is_due_to_yield() {
  if (++at_once_ <= kMostAtOnce) return false;
  at_once_ = 0;
  return true;
}

std::unexpected<Error> SocketStream::closed() {
  return failure(Errc::closed, "the stream is closed");
}

std::unexpected<Error> SocketStream::lost(const char* doing, int error) const {
  return failure(Errc::connection_lost,
                 fmt::format("the stream with {} broke while it was {}: {}", peer_.address, doing,
                             std::generic_category().message(error)));
}

std::unexpected<Error> SocketStream::ended(WaitEnding how, const char* waited_for) const {
  if (how == WaitEnding::closed) return failure(Errc::closed, "the stream was closed");
  return failure(Errc::timed_out, fmt::format("{} in time by {}", waited_for, peer_.address));
}

}  // namespace forebay::real
