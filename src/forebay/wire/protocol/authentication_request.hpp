// Authentication messages of a server: what it asks for next, or that all is well.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/wire/protocol/lists.hpp"

namespace forebay::wire {

// Others exist (Kerberos, GSSAPI, SSPI), and are seen here as their number.
enum class AuthenticationKind : std::uint32_t {
  ok = 0,
  cleartext = 3,
  md5 = 5,
  sasl = 10,
  sasl_continue = 11,
  sasl_final = 12,
};

struct AuthenticationView {
  AuthenticationKind kind = AuthenticationKind::ok;
  std::string_view data;  // the four bytes of MD5's salt, or what SASL says
  TextList mechanisms;    // of sasl
};

Result<AuthenticationView> parse_authentication(std::string_view body);

void write_authentication(std::string& out, AuthenticationKind kind, std::string_view data = {});
void write_authentication_sasl(std::string& out, std::span<const std::string_view> mechanisms);

}  // namespace forebay::wire
