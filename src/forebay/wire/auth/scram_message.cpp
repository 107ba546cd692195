#include "forebay/wire/auth/scram_message.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/wire/protocol/violation.hpp"

namespace forebay::wire {

std::optional<std::string_view> ScramAttributes::take(char name) {
  if (rest_.size() < 2 || rest_[0] != name || rest_[1] != '=') return std::nullopt;
  return take_any()->substr(2);
}

std::optional<std::string_view> ScramAttributes::take_any() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t comma = rest_.find(',');
  const std::string_view attribute = rest_.substr(0, comma);
  rest_.remove_prefix(comma == std::string_view::npos ? rest_.size() : comma + 1);
  return attribute;
}

bool is_nonce(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
    return letter > ' ' && letter < 127 && letter != ',';
  });
}

ScramKey exclusive_or(const ScramKey& one, const ScramKey& other) {
  ScramKey result;
  for (std::size_t place = 0; place < result.size(); ++place)
    result[place] = static_cast<unsigned char>(one[place] ^ other[place]);
  return result;
}

Error malformed_scram(std::string_view what) {
  return violation(fmt::format("malformed SCRAM message: {}", what));
}

}  // namespace forebay::wire
