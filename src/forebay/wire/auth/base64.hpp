// Base64 as SCRAM has it: the ordinary alphabet, padded, and nothing else around it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace forebay::wire {

std::string base64_of(std::string_view bytes);
// Nothing: it is not what base64_of() would have written.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace forebay::wire
