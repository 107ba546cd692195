// Messages of PostgreSQL's protocol out of any bytes, however they are split.
#include <cstdint>

#include "support/wire_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  forebay::test::fuzz_wire_frames({reinterpret_cast<const char*>(data), size});
  return 0;
}
