// The stand-in's scanner and judge of SQL.
#include <cstdint>

#include "support/sql_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  forebay::test::fuzz_standin_sql({reinterpret_cast<const char*>(data), size});
  return 0;
}
