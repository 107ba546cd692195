// What a profile says about single sign-on, pure.
//
// Newer profiles refer to an [sso-session], whose token can be renewed; older ones name the address
// of the sign-in themselves.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "forebay/aws/credentials/profiles.hpp"

namespace forebay::aws {

class SsoSettings {
 public:
  explicit SsoSettings(std::string name) : profile(std::move(name)) {}

  std::string profile;
  std::string session;  // empty: of the older kind
  std::string start_url;
  std::string region;
  std::string account_id;
  std::string role_name;
};

// Nothing: the profile is not about it. Errc::refused: it is, and something is missing.
Result<std::optional<SsoSettings>> sso_settings(const Profiles& profiles, const std::string& name);

}  // namespace forebay::aws
