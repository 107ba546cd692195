#include "forebay/env/http_preference.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/number_text.hpp"

namespace forebay {
namespace {

// The part before the separator; it and the separator are taken off.
std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = trimmed(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

// How exactly a range of the header names what is offered; below zero: not at all.
int exactness(std::string_view range, std::string_view offered) {
  if (range == offered) return 2;
  const std::string_view kind = offered.substr(0, offered.find('/') + 1);
  if (!kind.empty() && range.size() == kind.size() + 1 && range.starts_with(kind) &&
      range.ends_with('*'))
    return 1;
  return range == "*" || range == "*/*" ? 0 : -1;
}

}  // namespace

double http_preference(std::string_view header, std::string_view offered) {
  std::pair<int, double> best(-1, 0);
  while (!header.empty()) {
    std::string_view element = take_part(header, ',');
    const int exact = exactness(lower_case(take_part(element, ';')), offered);
    double weight = 1;
    while (!element.empty()) {
      std::string_view parameter = take_part(element, ';');
      if (lower_case(take_part(parameter, '=')) == "q")
        weight = std::clamp(parse_number<double>(trimmed(parameter)).value_or(0), 0.0, 1.0);
    }
    if (exact >= 0) best = std::max(best, std::pair(exact, weight));
  }
  return best.second;
}

}  // namespace forebay
