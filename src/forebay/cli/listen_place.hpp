// ListenPlace: where something is served, as typed: a port, or an address and a port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace forebay::cli {

struct ListenPlace {
  ListenPlace() = default;
  std::string address = "127.0.0.1";
  std::uint16_t port = 9464;  // 0: any that is free
};

// "9464", "0.0.0.0:9464" or "[::1]:9464"; nothing: the default.
ListenPlace listen_place(std::string_view option, std::string_view text,
                         std::vector<std::string>& problems);

}  // namespace forebay::cli
