// The lines that tell how far a simulation is. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/cli/text/styled_line.hpp"
#include "forebay/env/time.hpp"

namespace forebay::cli {

// Of one world: "local  12:00 of 20:00 ████░░  1,200,000 events/s  4 s left".
struct RunProgress {
  std::string scenario;
  Duration virtual_time{};
  Duration duration{};
  std::uint64_t events = 0;
  Duration elapsed{};
};
std::string progress_line(const RunProgress& progress, const TextStyle& style);

// Of many.
struct SeedsProgress {
  std::string scenario;
  std::uint64_t done = 0;
  std::uint64_t count = 0;
  std::uint64_t failed = 0;
  Duration elapsed{};
};
std::string progress_line(const SeedsProgress& progress, const TextStyle& style);

// A point in virtual time: "5:00", "1:00:00", "0:02.010".
std::string clock_text(Duration time);

}  // namespace forebay::cli
