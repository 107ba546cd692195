#include "forebay/env/real/socket_network.hpp"

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/socket.h>

#include "forebay/env/real/owned_socket.hpp"
#include "forebay/env/real/socket_listener.hpp"
#include "forebay/env/real/socket_stream.hpp"

namespace forebay::real {
namespace {

std::unexpected<Error> cannot_connect(const StreamAddress& to, const std::string& where,
                                      int error) {
  const std::string place = where == to.text() ? where : fmt::format("{} ({})", to.text(), where);
  return failure(Errc::connect_failed, fmt::format("cannot connect to {}: {}", place,
                                                   std::generic_category().message(error)));
}

// Each address gets an equal part of the time that is left, so that one that is silent leaves
// some for the others.
Instant part_of(Instant now, Instant deadline, std::size_t addresses) {
  if (deadline == kNever || deadline <= now) return deadline;
  return now + (deadline - now) / static_cast<std::int64_t>(addresses);
}

int trouble_of(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

std::unexpected<Error> cancelled(const StreamAddress& to) {
  return failure(Errc::cancelled, fmt::format("nobody wants to connect to {} any more", to.text()));
}

// While it lives, a cancellation ends what it is told to end: by what() of it.
template <class T>
class EndOnCancel : private Cancellation::Listener {
 public:
  EndOnCancel(const Until& until, const Scheduler& scheduler, T& what)
      : Listener(&end), until_(until), what_(what) {
    until_.listen(*this, scheduler);
  }
  EndOnCancel(const EndOnCancel&) = delete;
  EndOnCancel& operator=(const EndOnCancel&) = delete;
  ~EndOnCancel() { until_.leave(*this); }

 private:
  static void end(Listener& listener) {
    T& what = static_cast<EndOnCancel&>(listener).what_;
    if constexpr (requires { what.cancel(); }) {
      what.cancel();
    } else {
      what.close();
    }
  }

  const Until until_;
  T& what_;
};

}  // namespace

Task<Result<std::unique_ptr<ByteStream>>> SocketNetwork::connect(StreamAddress to, Until until) {
  if (until.is_cancelled()) co_return cancelled(to);
  const Result<std::vector<SocketAddress>> addresses = co_await find(to, until);
  if (!addresses) co_return failure(addresses.error());
  for (std::size_t i = 0;; ++i) {
    if (until.is_cancelled()) co_return cancelled(to);
    const Instant part = part_of(scheduler_.now(), until.deadline(), addresses->size() - i);
    const Until for_this = Until(part).within(until);
    Result<std::unique_ptr<ByteStream>> stream = co_await call((*addresses)[i], to, for_this);
    if (stream || i + 1 == addresses->size()) co_return stream;
  }
}

Result<std::unique_ptr<StreamListener>> SocketNetwork::listen(const StreamAddress& at) {
  return listen_on_socket(*this, at);
}

Result<std::unique_ptr<ByteStream>> SocketNetwork::make_stream(int socket, StreamPeer peer) {
  Result<std::shared_ptr<SocketWatch>> watched = watch(socket);
  if (!watched) return failure(std::move(watched).error());
  return std::make_unique<SocketStream>(std::move(*watched), scheduler_, std::move(peer));
}

Task<Result<std::vector<SocketAddress>>> SocketNetwork::find(const StreamAddress& to, Until until) {
  std::vector<SocketAddress> addresses;
  if (to.is_unix_socket()) {
    const Result<SocketAddress> address = SocketAddress::from_path(to.path());
    if (!address) co_return failure(address.error());
    addresses.push_back(*address);
    co_return addresses;
  }
  if (const auto address = SocketAddress::from_ip(to.host(), to.port())) {
    addresses.push_back(*address);
    co_return addresses;
  }
  if (names_ == nullptr)
    co_return failure(Errc::invalid, fmt::format("\"{}\" is no IP address", to.host()));
  const std::unique_ptr<NameLookup> lookup = names_->look_up(to.host());
  const EndOnCancel<NameLookup> end(until, scheduler_, *lookup);
  const Result<std::vector<std::string>> found = co_await lookup->run(until.deadline());
  if (until.is_cancelled()) co_return cancelled(to);
  if (!found) co_return failure(found.error());
  for (const std::string& ip : *found) {
    if (const auto address = SocketAddress::from_ip(ip, to.port())) addresses.push_back(*address);
  }
  if (addresses.empty())
    co_return failure(Errc::connect_failed, fmt::format("{} has no address", to.host()));
  co_return addresses;
}

Task<Result<std::unique_ptr<ByteStream>>> SocketNetwork::call(SocketAddress address,
                                                              const StreamAddress& to,
                                                              Until until) {
  const std::string where =
      to.is_unix_socket() ? to.text() : StreamAddress::tcp(address.ip(), address.port()).text();
  OwnedSocket socket(address.family());
  if (socket.number() < 0) co_return cannot_connect(to, where, errno);
  prepare_stream_socket(socket.number(), address.family());
  const bool is_connected = ::connect(socket.number(), address.raw(), address.size()) == 0;
  if (!is_connected && errno != EINPROGRESS) co_return cannot_connect(to, where, errno);

  Result<std::shared_ptr<SocketWatch>> watch = this->watch(socket.release());
  if (!watch) co_return failure(std::move(watch).error());
  if (!is_connected) {
    const EndOnCancel<SocketWatch> end(until, scheduler_, **watch);
    const WaitEnding ending = co_await (*watch)->writable(until.deadline());
    if (until.is_cancelled()) co_return cancelled(to);
    if (ending != WaitEnding::ready)
      co_return failure(Errc::timed_out, fmt::format("no answer from {} in time", where));
    if (const int error = trouble_of((*watch)->socket()); error != 0)
      co_return cannot_connect(to, where, error);
  }
  std::unique_ptr<ByteStream> stream =
      std::make_unique<SocketStream>(std::move(*watch), scheduler_, StreamPeer(where));
  co_return stream;
}

}  // namespace forebay::real
