#include "forebay/pool/leak_report.hpp"

#include <fmt/format.h>

#include "forebay/base/readable_time.hpp"

namespace forebay {

std::string describe(const LeakReport& leak) {
  return fmt::format("connection {}, taken {} ago in {} at {}:{}", leak.connection_id,
                     readable_time(leak.held), leak.taken_from.function_name(),
                     leak.taken_from.file_name(), leak.taken_from.line());
}

}  // namespace forebay
