// Any text is a scenario or is refused with reasons, and both come to an end.
#include <cstdint>
#include <string_view>

#include "forebay/detail/base/check.hpp"
#include "forebay/sim/scenario/scenario_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const forebay::sim::ScenarioReading reading = forebay::sim::read_scenario(text, "fuzz.yaml");
  for (const std::string& problem : reading.problems) FOREBAY_CHECK(!problem.empty());
  return 0;
}
