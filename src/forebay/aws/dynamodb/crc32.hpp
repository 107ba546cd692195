// CRC-32, as in zip files. DynamoDB sends it with its answers. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace forebay::aws {

std::uint32_t crc32(std::string_view text);

}  // namespace forebay::aws
