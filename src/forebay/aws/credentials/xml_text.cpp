#include "forebay/aws/credentials/xml_text.hpp"

#include <array>
#include <utility>

namespace forebay::aws {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {{
    {"&amp;", '&'},
    {"&lt;", '<'},
    {"&gt;", '>'},
    {"&quot;", '"'},
    {"&apos;", '\''},
}};

std::string decoded(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    char letter = text.front();
    std::size_t length = 1;
    for (const auto& [entity, meaning] : kEntities) {
      if (!text.starts_with(entity)) continue;
      letter = meaning;
      length = entity.size();
    }
    result += letter;
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace

std::string xml_text(std::string_view document, std::string_view element) {
  const std::string open = '<' + std::string(element) + '>';
  const std::string close = "</" + std::string(element) + '>';
  const std::size_t start = document.find(open);
  if (start == std::string_view::npos) return {};
  const std::string_view rest = document.substr(start + open.size());
  const std::size_t end = rest.find('<');
  if (end == std::string_view::npos || !rest.substr(end).starts_with(close)) return {};
  return decoded(rest.substr(0, end));
}

}  // namespace forebay::aws
