#include "forebay/env/real/socket_listener.hpp"

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forebay/detail/base/check.hpp"
#include "forebay/env/real/owned_socket.hpp"
#include "forebay/env/real/socket_address.hpp"
#include "forebay/env/real/socket_stream.hpp"
#include "forebay/env/sleep.hpp"

namespace forebay::real {
namespace {

// The file of a Unix socket that this process made, by what nobody else's file has in common.
class SocketFile {
 public:
  explicit SocketFile(std::string path) : path_(std::move(path)) {
    struct stat now{};
    if (::stat(path_.c_str(), &now) == 0) made_.emplace(now.st_dev, now.st_ino);
  }
  void remove() {
    struct stat now{};
    if (!made_ || ::stat(path_.c_str(), &now) != 0) return;
    if (*made_ == std::pair(now.st_dev, now.st_ino)) ::unlink(path_.c_str());
    made_.reset();
  }

 private:
  const std::string path_;
  std::optional<std::pair<dev_t, ino_t>> made_;
};

class SocketListener final : public StreamListener {
 public:
  SocketListener(SocketNetwork& network, std::shared_ptr<SocketWatch> watch, StreamAddress at)
      : network_(network), watch_(std::move(watch)), address_(std::move(at)) {
    if (address_.is_unix_socket()) file_.emplace(address_.path());
  }
  ~SocketListener() override {
    FOREBAY_CHECK(!is_accepting_, "a listener died while a task waited for callers");
    close();
  }

  Task<Result<std::unique_ptr<ByteStream>>> accept(Instant deadline) override {
    FOREBAY_CHECK(!is_accepting_, "a listener has one accept at a time");
    is_accepting_ = true;
    Result<int> socket = co_await next_socket(deadline);
    is_accepting_ = false;
    if (!socket) co_return failure(std::move(socket).error());
    prepare_stream_socket(*socket, address_.is_unix_socket() ? AF_UNIX : AF_INET);
    co_return network_.make_stream(*socket, StreamPeer(peer_text(*socket)));
  }
  void close() override {
    is_closed_ = true;
    watch_->close();
    if (file_) file_->remove();
  }
  const StreamAddress& address() const override { return address_; }

 private:
  Task<Result<int>> next_socket(Instant deadline) {
    for (;;) {
      // Many callers at once are not served all before whatever else is to be done.
      if (++at_once_ > kMostAtOnce) {
        at_once_ = 0;
        co_await Yield(network_.scheduler());
      }
      if (is_closed_) co_return failure(Errc::closed, "the listener is closed");
      const int socket =
          ::accept4(watch_->socket(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket >= 0) co_return socket;
      const int error = errno;
      if (error == EINTR || error == ECONNABORTED) continue;  // that caller is gone again
      if (error != EAGAIN && error != EWOULDBLOCK) co_return cannot_accept(error);
      at_once_ = 0;
      const WaitEnding ending = co_await watch_->readable(deadline);
      if (ending == WaitEnding::timed_out)
        co_return failure(Errc::timed_out, fmt::format("nobody called at {}", address_.text()));
    }
  }

  std::unexpected<Error> cannot_accept(int error) const {
    const bool is_full = error == EMFILE || error == ENFILE;
    return failure(
        Errc::limit_reached,
        fmt::format("nobody more can be let in at {}: {}{}", address_.text(),
                    std::generic_category().message(error), is_full ? "; see ulimit -n" : ""));
  }

  static constexpr int kMostAtOnce = 16;

  SocketNetwork& network_;
  const std::shared_ptr<SocketWatch> watch_;
  const StreamAddress address_;
  std::optional<SocketFile> file_;
  int at_once_ = 0;
  bool is_accepting_ = false;
  bool is_closed_ = false;
};

std::unexpected<Error> cannot_listen(const StreamAddress& at, int error) {
  const std::string where =
      at.is_unix_socket() ? at.text() : fmt::format("{} port {}", at.host(), at.port());
  return failure(Errc::refused, fmt::format("cannot listen on {}: {}", where,
                                            std::generic_category().message(error)));
}

// An error if the path is no socket, or somebody answers there.
Result<void> remove_stale_file(const StreamAddress& at, const SocketAddress& address) {
  struct stat found{};
  if (::lstat(at.path().c_str(), &found) != 0) return {};
  if (!S_ISSOCK(found.st_mode)) {
    return failure(Errc::refused,
                   fmt::format("cannot listen on {}: a file is there that is no socket; move it "
                               "away, or choose another path",
                               at.text()));
  }
  const OwnedSocket probe(AF_UNIX);
  const bool is_answered = ::connect(probe.number(), address.raw(), address.size()) == 0;
  // A line of callers that is full (EAGAIN), or a socket of another user (EACCES), is not stale.
  if (is_answered || errno != ECONNREFUSED) return cannot_listen(at, EADDRINUSE);
  ::unlink(at.path().c_str());
  return {};
}

Result<void> bind_unix_socket(int socket, const StreamAddress& at, const SocketAddress& address) {
  if (Result<void> removed = remove_stale_file(at, address); !removed) return removed;
  // The file gets the rights of the socket less the umask, and so never too many.
  ::fchmod(socket, at.permissions());
  if (::bind(socket, address.raw(), address.size()) != 0) return cannot_listen(at, errno);
  if (::chmod(at.path().c_str(), at.permissions()) != 0) return cannot_listen(at, errno);
  return {};
}

Result<SocketAddress> address_to_listen_on(const StreamAddress& at) {
  if (at.is_unix_socket()) return SocketAddress::from_path(at.path());
  const std::optional<SocketAddress> address = SocketAddress::from_ip(at.host(), at.port());
  if (address) return *address;
  return failure(Errc::invalid,
                 fmt::format("\"{}\" is no IP address to listen on; 127.0.0.1 is for this "
                             "machine only, 0.0.0.0 and :: are for all",
                             at.host()));
}

}  // namespace

Result<std::unique_ptr<StreamListener>> listen_on_socket(SocketNetwork& network,
                                                         const StreamAddress& at) {
  Result<SocketAddress> address = address_to_listen_on(at);
  if (!address) return failure(std::move(address).error());
  OwnedSocket socket(address->family());
  if (socket.number() < 0) return cannot_listen(at, errno);
  if (at.is_unix_socket()) {
    if (Result<void> bound = bind_unix_socket(socket.number(), at, *address); !bound)
      return failure(std::move(bound).error());
  } else {
    const int is_wanted = 1;
    ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &is_wanted, sizeof is_wanted);
    if (::bind(socket.number(), address->raw(), address->size()) != 0)
      return cannot_listen(at, errno);
  }
  if (::listen(socket.number(), SOMAXCONN) != 0) return cannot_listen(at, errno);
  StreamAddress chosen = at;
  if (!at.is_unix_socket())
    chosen = StreamAddress::tcp(at.host(), SocketAddress::of_this_end(socket.number()).port());
  Result<std::shared_ptr<SocketWatch>> watch = network.watch(socket.release());
  if (!watch) return failure(std::move(watch).error());
  return std::make_unique<SocketListener>(network, std::move(*watch), std::move(chosen));
}

}  // namespace forebay::real
