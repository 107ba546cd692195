#include "forebay/env/real/curl_settings.hpp"

#include <initializer_list>

namespace forebay::real {
namespace {

std::string first_of(const Machine& machine, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (std::optional<std::string> value = machine.variable(name)) return *value;
  return {};
}

}  // namespace

CurlSettings curl_settings(const Machine& machine) {
  CurlSettings settings;
  // Not HTTP_PROXY in capitals: in a CGI program, the sender of a request can set that.
  settings.http_proxy = first_of(machine, {"http_proxy", "all_proxy", "ALL_PROXY"});
  settings.https_proxy =
      first_of(machine, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  settings.no_proxy = first_of(machine, {"no_proxy", "NO_PROXY"});
  settings.ca_file = first_of(machine, {"AWS_CA_BUNDLE", "SSL_CERT_FILE"});
  return settings;
}

bool is_next_to_us(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.") ||
         host.starts_with("169.254.") || host == "fd00:ec2::254" || host == "fd00:ec2::23";
}

}  // namespace forebay::real
