// What may come before messages: start-up packets, and the answer about versions.
#include <cstdint>

#include "support/wire_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  forebay::test::fuzz_wire_startup({reinterpret_cast<const char*>(data), size});
  return 0;
}
