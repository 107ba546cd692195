// A TCP port of 127.0.0.1 for a server of our own.
#pragma once

#include <cstdint>

namespace forebay::embedded {

// One that nobody listens on now; 0 if there is none. Below the range from which the system takes
// ports for outgoing connections, so that a stopped server finds its port again; spread by process,
// so that parallel tests rarely try the same one. Another call gives another port.
std::uint16_t next_free_port();

}  // namespace forebay::embedded
