#include "forebay/embedded/free_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace forebay::embedded {
namespace {

bool is_port_free(std::uint16_t port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_free =
      ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(listener);
  return is_free;
}

}  // namespace

std::uint16_t next_free_port() {
  static constexpr int kFirst = 20'000;
  static constexpr int kCount = 12'000;
  static int tried = ::getpid() * 17;
  for (int attempt = 0; attempt < kCount; ++attempt) {
    const auto port = static_cast<std::uint16_t>(kFirst + ++tried % kCount);
    if (is_port_free(port)) return port;
  }
  return 0;
}

}  // namespace forebay::embedded
