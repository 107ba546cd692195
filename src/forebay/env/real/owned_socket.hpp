// OwnedSocket: a new stream socket that does not block.
#pragma once

#include <sys/socket.h>

#include "forebay/env/real/owned_descriptor.hpp"

namespace forebay::real {

class OwnedSocket : public OwnedDescriptor {
 public:
  explicit OwnedSocket(int family)
      : OwnedDescriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
};

}  // namespace forebay::real
