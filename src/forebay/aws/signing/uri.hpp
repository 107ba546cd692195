// Addresses of requests, pure: taking them apart, and the encoding of RFC 3986.
#pragma once

#include <string>
#include <string_view>

namespace forebay::aws {

// Parts of the address that it was made from, which must outlive it.
struct Url {
  std::string_view scheme;  // "https"
  std::string_view host;    // with the port, unless that is the scheme's own
  std::string_view path;    // "/" if the address has none
  std::string_view query;   // without the question mark
};

Url split_url(std::string_view address);

// "[::1]:80" is at "[::1]", "localhost:80" at "localhost".
std::string_view without_port(std::string_view host);
// The host as its certificate has it: in lower case, without a port and a dot at its end.
std::string plain_host(std::string_view host);

enum class Slashes : bool { encoded, kept };

// Letters, digits, "-", ".", "_" and "~" stay; every other byte becomes %XX.
std::string uri_encoded(std::string_view text, Slashes slashes = Slashes::encoded);
// %XX becomes the byte. A "+" stays: that it may mean a blank is a custom of HTML forms.
std::string uri_decoded(std::string_view text);

// Without ".", ".." and doubled slashes.
std::string normalized_path(std::string_view path);

}  // namespace forebay::aws
