#include "forebay/base/dsql_host.hpp"

#include <algorithm>

#include "forebay/base/ascii_text.hpp"

namespace forebay {

bool is_region(std::string_view text) {
  return !text.empty() && text.size() <= 40 && std::ranges::all_of(text, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  });
}

std::optional<std::string> dsql_region(std::string_view host) {
  constexpr std::string_view kEnd = ".on.aws";
  const std::string lowered = lower_case(host);
  std::string_view name = lowered;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (!name.ends_with(kEnd)) return std::nullopt;
  name.remove_suffix(kEnd.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view region = name.substr(dot + 1);
  const std::size_t before = name.rfind('.', dot - 1);
  if (before == std::string_view::npos || !is_region(region)) return std::nullopt;
  if (!name.substr(before + 1, dot - before - 1).starts_with("dsql")) return std::nullopt;
  return std::string(region);
}

}  // namespace forebay
