// SocketAddress: an address as the system wants it, and as people read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/socket.h>

#include "forebay/base/error.hpp"

namespace forebay::real {

class SocketAddress {
 public:
  // Nothing: the text is no IP address.
  static std::optional<SocketAddress> from_ip(const std::string& ip, std::uint16_t port);
  // Errc::invalid: the path is too long for a socket, or not absolute.
  static Result<SocketAddress> from_path(const std::string& path);
  static SocketAddress of_this_end(int socket);

  int family() const { return storage_.ss_family; }
  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }
  // Of TCP.
  std::string ip() const;
  std::uint16_t port() const;

 private:
  SocketAddress() = default;
  friend std::string peer_text(int socket);

  sockaddr_storage storage_{};
  socklen_t size_ = sizeof(sockaddr_storage);
};

// Who is at the other end of a connected socket that was accepted: "10.0.0.7:51234",
// "unix:uid=33,pid=7".
std::string peer_text(int socket);

// What a socket that was opened or accepted needs before it becomes a stream. What cannot be set
// is left as it is.
void prepare_stream_socket(int socket, int family);

}  // namespace forebay::real
