// Texts in the gzip format (RFC 1952).
#pragma once

#include <string>
#include <string_view>

namespace forebay {

std::string gzipped(std::string_view text);

}  // namespace forebay
