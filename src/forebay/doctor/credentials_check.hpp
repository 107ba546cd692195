// Credentials of AWS and the token that they sign. Pure; the doctor does the looking.
#pragma once

#include <optional>
#include <string>

#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/base/error.hpp"
#include "forebay/doctor/finding.hpp"

namespace forebay::doctor {

class CredentialsFacts {
 public:
  CredentialsFacts() = default;

  std::string region;            // empty: not found
  std::optional<Error> failure;  // of finding the region or the credentials
  std::string source;            // where they are from; no secret
  WallTime expires_at = WallTime::max();
  WallTime now{};
  // The token, if the database needs one.
  std::string user;  // empty: it needs none
  Duration wanted_lifetime{};
  Duration token_lifetime{};  // what it got; zero: none could be signed
};

Findings check_credentials(const CredentialsFacts& facts);

}  // namespace forebay::doctor
