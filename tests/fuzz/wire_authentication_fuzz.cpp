// Both sides of authentication, with a peer who says anything.
#include <cstdint>

#include "support/wire_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  forebay::test::fuzz_wire_authentication({reinterpret_cast<const char*>(data), size});
  return 0;
}
