#include "forebay/doctor/finding.hpp"

#include <algorithm>
#include <array>

namespace forebay::doctor {

std::string_view name(Severity severity) {
  constexpr std::array<std::string_view, 4> names = {"ok", "note", "warning", "error"};
  return names[static_cast<std::size_t>(severity)];
}

Severity worst(const Findings& findings) {
  Severity worst = Severity::ok;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  return worst;
}

}  // namespace forebay::doctor
