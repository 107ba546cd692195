// OwnedSocket: a new stream socket that does not block, closed unless it is released.
#pragma once

#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace forebay::real {

class OwnedSocket {
 public:
  explicit OwnedSocket(int family)
      : number_(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
  OwnedSocket(const OwnedSocket&) = delete;
  OwnedSocket& operator=(const OwnedSocket&) = delete;
  ~OwnedSocket() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }  // below zero: there is none, and errno says why
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace forebay::real
