// Sockets on 127.0.0.1, for servers of tests.
#pragma once

#include <cstdint>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "forebay/detail/base/check.hpp"

namespace forebay::test {

inline int loopback_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

inline sockaddr_in loopback_address(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Listens on a port that was free.
class LoopbackListener {
 public:
  LoopbackListener() : socket_(loopback_socket()) {
    sockaddr_in address = loopback_address(0);
    socklen_t length = sizeof address;
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    FOREBAY_CHECK(::bind(socket_, raw, length) == 0);
    FOREBAY_CHECK(::listen(socket_, 128) == 0);
    FOREBAY_CHECK(::getsockname(socket_, raw, &length) == 0);
    port_ = ntohs(address.sin_port);
  }
  LoopbackListener(const LoopbackListener&) = delete;
  LoopbackListener& operator=(const LoopbackListener&) = delete;
  ~LoopbackListener() { ::close(socket_); }  // REQUIRES: nobody is in accept()

  std::uint16_t port() const { return port_; }
  int descriptor() const { return socket_; }
  // The next session, which is the caller's to close; below zero after shut_down().
  int accept() const { return ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC); }
  // Nobody is let in any more; a thread in accept() comes back.
  void shut_down() const { ::shutdown(socket_, SHUT_RDWR); }

 private:
  const int socket_;
  std::uint16_t port_ = 0;
};

// Without waiting for more to send.
inline void send_at_once(int socket) {
  const int is_wanted = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &is_wanted, sizeof is_wanted);
}

// False: nobody listens there.
inline bool connect_on_loopback(int socket, std::uint16_t port) {
  sockaddr_in address = loopback_address(port);
  send_at_once(socket);
  return ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

// False: the other side is gone.
inline bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t step = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (step <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(step));
  }
  return true;
}

}  // namespace forebay::test
