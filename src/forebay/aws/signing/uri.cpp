#include "forebay/aws/signing/uri.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {
namespace {

bool is_unreserved(char letter) {
  return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
         (letter >= '0' && letter <= '9') || letter == '-' || letter == '.' || letter == '_' ||
         letter == '~';
}

std::string_view without_usual_port(std::string_view scheme, std::string_view host) {
  const std::string_view port = scheme == "https" ? ":443" : ":80";
  if (host.ends_with(port)) host.remove_suffix(port.size());
  return host;
}

}  // namespace

Url split_url(std::string_view address) {
  Url url;
  if (const auto end = address.find("://"); end != std::string_view::npos) {
    url.scheme = address.substr(0, end);
    address.remove_prefix(end + 3);
  }
  const auto host_end = address.find_first_of("/?#");
  url.host = without_usual_port(url.scheme, address.substr(0, host_end));
  address.remove_prefix(host_end == std::string_view::npos ? address.size() : host_end);
  address = address.substr(0, address.find('#'));
  const auto path_end = address.find('?');
  url.path = address.substr(0, path_end);
  if (path_end != std::string_view::npos) url.query = address.substr(path_end + 1);
  if (url.path.empty()) url.path = "/";
  return url;
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, std::min(host.find(']') + 1, host.size()));
  return host.substr(0, host.find(':'));
}

std::string plain_host(std::string_view host) {
  host = without_port(host);
  if (host.ends_with('.')) host.remove_suffix(1);
  return lower_case(host);
}

std::string uri_encoded(std::string_view text, Slashes slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char letter : text) {
    if (is_unreserved(letter) || (letter == '/' && slashes == Slashes::kept)) {
      encoded += letter;
    } else {
      const auto byte = static_cast<unsigned char>(letter);
      encoded += '%';
      encoded += kDigits[byte >> 4];
      encoded += kDigits[byte & 15];
    }
  }
  return encoded;
}

std::string uri_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    const bool has_digits = text[i] == '%' && i + 2 < text.size() &&
                            std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    decoded += has_digits ? static_cast<char>(byte) : text[i];
    if (has_digits) i += 2;
  }
  return decoded;
}

std::string normalized_path(std::string_view path) {
  std::vector<std::string_view> kept;
  bool ends_in_folder = true;
  while (!path.empty()) {
    const auto end = path.find('/');
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    const bool is_name = !part.empty() && part != "." && part != "..";
    if (is_name) kept.push_back(part);
    if (part == ".." && !kept.empty()) kept.pop_back();
    ends_in_folder = end != std::string_view::npos || !is_name;
  }
  std::string normalized = "/";
  for (const std::string_view part : kept) normalized.append(part) += '/';
  if (!ends_in_folder) normalized.pop_back();
  return normalized;
}

}  // namespace forebay::aws
