#include "forebay/aws/dynamodb/crc32.hpp"

#include <array>

namespace forebay::aws {
namespace {

constexpr std::array<std::uint32_t, 256> crc32_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t first = 0; first < table.size(); ++first) {
    std::uint32_t value = first;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1) != 0 ? 0xedb88320u ^ (value >> 1) : value >> 1;
    table[first] = value;
  }
  return table;
}

}  // namespace

std::uint32_t crc32(std::string_view text) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc32_table();
  std::uint32_t value = 0xffffffffu;
  for (const char letter : text)
    value = kTable[(value ^ static_cast<unsigned char>(letter)) & 0xff] ^ (value >> 8);
  return ~value;
}

}  // namespace forebay::aws
