#include "forebay/env/stream_address.hpp"

#include <fmt/format.h>

namespace forebay {

std::string StreamAddress::text() const {
  if (is_unix_socket()) return "unix:" + path_;
  const bool is_ipv6 = host_.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", host_, port_) : fmt::format("{}:{}", host_, port_);
}

}  // namespace forebay
