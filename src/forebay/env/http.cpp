#include "forebay/env/http.hpp"

#include <algorithm>

#include "forebay/base/ascii_text.hpp"

namespace forebay {
namespace {

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
