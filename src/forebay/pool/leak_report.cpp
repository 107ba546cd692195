#include "forebay/pool/leak_report.hpp"

#include <fmt/format.h>

namespace forebay {

std::string describe(const LeakReport& leak) {
  return fmt::format("connection {}, taken {} ago in {} at {}:{}", leak.connection_id,
                     describe(leak.held), leak.taken_from.function_name(),
                     leak.taken_from.file_name(), leak.taken_from.line());
}

std::string describe(Duration time) {
  if (time == Duration::max()) return "unlimited";
  const auto nanoseconds = static_cast<double>(time.count());
  if (time < std::chrono::milliseconds(1) && time > -std::chrono::milliseconds(1)) {
    return fmt::format("{:g} us", nanoseconds / 1e3);
  }
  if (time < std::chrono::seconds(1) && time > -std::chrono::seconds(1)) {
    return fmt::format("{:.4g} ms", nanoseconds / 1e6);
  }
  if (time < std::chrono::minutes(2) && time > -std::chrono::minutes(2)) {
    return fmt::format("{:.4g} s", nanoseconds / 1e9);
  }
  return fmt::format("{:.4g} min", nanoseconds / 60e9);
}

}  // namespace forebay
