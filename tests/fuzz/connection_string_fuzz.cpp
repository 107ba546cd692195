// Any text is a connection string or is refused, and what is refused shows no password.
#include <cstdint>
#include <string>

#include "forebay/detail/base/check.hpp"
#include "forebay/postgres/driver/conninfo.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto parsed = forebay::postgres::ConnectionString::parse(text);
  if (!parsed) FOREBAY_CHECK(!parsed.error().text().empty());
  return 0;
}
