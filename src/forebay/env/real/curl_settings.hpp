// CurlSettings: what the machine says about the way to the outside: proxies and certificates.
//
// The variables are those that curl and the AWS SDKs know. They are read once, from a Machine,
// because libcurl itself would read the process's environment while others may be changing it.
#pragma once

#include <string>
#include <string_view>

#include "forebay/env/machine.hpp"

namespace forebay::real {

struct CurlSettings {
  std::string http_proxy;   // http_proxy, all_proxy, ALL_PROXY; empty: none
  std::string https_proxy;  // https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY; empty: none
  std::string no_proxy;     // no_proxy, NO_PROXY: hosts that are reached without
  std::string ca_file;      // AWS_CA_BUNDLE, SSL_CERT_FILE; empty: the system's certificates
};

CurlSettings curl_settings(const Machine& machine);

// This machine, or a service next to it (metadata and credentials of a cloud instance): never
// behind a proxy, whatever no_proxy says. The host is without brackets.
bool is_next_to_us(std::string_view host);

}  // namespace forebay::real
