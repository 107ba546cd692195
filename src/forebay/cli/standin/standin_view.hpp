// What "forebay standin" says when clients can call. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "forebay/standin/standin_options.hpp"

namespace forebay::cli {

struct StandinSigns {
  StandinSigns() = default;
  std::string place;    // which server is behind it
  std::string address;  // where it listens
  std::uint16_t port = 0;
  std::string cluster;  // its name, as DSQL would have it
  std::string certificate;
  std::string dynamodb;  // its URL; empty: it is not served
  std::vector<std::pair<std::string, std::string>> environment;
};

// Lines that a shell can read: all but the exports are comments.
std::string shell_text(const StandinSigns& signs);
std::string json_text(const StandinSigns& signs);  // one line
std::string farewell_text(const standin::StandinCounters& counters);

}  // namespace forebay::cli
