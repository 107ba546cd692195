// Bodies of messages that servers send.
#include <cstdint>

#include "support/wire_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  forebay::test::fuzz_wire_server_messages({reinterpret_cast<const char*>(data), size});
  return 0;
}
