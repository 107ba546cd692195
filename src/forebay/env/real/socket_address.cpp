#include "forebay/env/real/socket_address.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include "forebay/env/stream_address.hpp"

namespace forebay::real {
namespace {

// A peer that is gone without a word, its machine off, say, is noticed after two minutes.
constexpr int kKeepAliveIdleSeconds = 60;
constexpr int kKeepAliveIntervalSeconds = 10;
constexpr int kKeepAliveProbes = 6;

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

std::optional<SocketAddress> SocketAddress::from_ip(const std::string& ip, std::uint16_t port) {
  SocketAddress address;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage_);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage_);
  if (::inet_pton(AF_INET, ip.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    address.size_ = sizeof v4;
  } else if (::inet_pton(AF_INET6, ip.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    address.size_ = sizeof v6;
  } else {
    return std::nullopt;
  }
  return address;
}

Result<SocketAddress> SocketAddress::from_path(const std::string& path) {
  SocketAddress address;
  auto& local = reinterpret_cast<sockaddr_un&>(address.storage_);
  constexpr std::size_t kLongest = sizeof local.sun_path - 1;
  if (!path.starts_with('/') || path.size() > kLongest) {
    return failure(Errc::invalid,
                   fmt::format("\"{}\" cannot be the path of a Unix socket: it begins with a slash "
                               "and has at most {} characters",
                               path, kLongest));
  }
  local.sun_family = AF_UNIX;
  std::ranges::copy(path, local.sun_path);
  address.size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return address;
}

SocketAddress SocketAddress::of_this_end(int socket) {
  SocketAddress address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage_), &address.size_);
  return address;
}

std::string SocketAddress::ip() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* const raw_ip =
      family() == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(storage_).sin6_addr)
          : &reinterpret_cast<const sockaddr_in&>(storage_).sin_addr;
  const char* const made = ::inet_ntop(family(), raw_ip, text.data(), text.size());
  return made != nullptr ? made : "unknown";
}

std::uint16_t SocketAddress::port() const {
  return ntohs(family() == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(storage_).sin6_port
                                    : reinterpret_cast<const sockaddr_in&>(storage_).sin_port);
}

std::string peer_text(int socket) {
  SocketAddress peer;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer.storage_), &peer.size_) != 0)
    return "somebody who is gone";
  if (peer.family() != AF_UNIX) return StreamAddress::tcp(peer.ip(), peer.port()).text();
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return "unix:";
  return fmt::format("unix:uid={},pid={}", who.uid, who.pid);
}

void prepare_stream_socket(int socket, int family) {
  if (family == AF_UNIX) return;
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes);
}

}  // namespace forebay::real
