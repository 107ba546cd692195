// LeakReport: a connection that has been lent for long: who took it, from where, how long ago.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#include "forebay/env/time.hpp"

namespace forebay {

struct LeakReport {
  std::uint64_t connection_id = 0;
  std::source_location taken_from;
  Duration held{};
};

// "connection 17, taken 12.5s ago in handle_request at server.cpp:88"
std::string describe(const LeakReport& leak);

}  // namespace forebay
