#include "forebay/env/http.hpp"

#include <algorithm>

namespace forebay {
namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view value_of(const std::vector<HttpHeader>& headers, std::string_view name) {
  const auto found = std::ranges::find_if(
      headers, [name](const HttpHeader& header) { return is_same_name(header.name, name); });
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  return value_of(headers, name);
}

std::string_view HttpResponse::header(std::string_view name) const {
  return value_of(headers, name);
}

}  // namespace forebay
