// ProfileCredentials: those that the selected profile of the shared files leads to, in the order of
// the AWS command: a role, taken with another profile's credentials, or with an instance's or
// container's; web identity, also that of the environment; single sign-on; keys of the credentials
// file; a program; keys of the config file.
//
// What would ask a person is refused with what to do instead.
#pragma once

#include <string>
#include <vector>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/credentials_source.hpp"
#include "forebay/aws/credentials/profiles.hpp"
#include "forebay/aws/credentials/web_identity_credentials.hpp"

namespace forebay::aws {

class ProfileCredentials final : public CredentialsSource {
 public:
  explicit ProfileCredentials(AwsEnv env) : env_(env) {}
  Task<Result<Finding>> look(Instant deadline) override;

 private:
  using Trail = std::vector<std::string>;  // the profiles that led here, in order

  // What a profile has besides a role.
  Task<Result<Finding>> without_role(const Profiles& profiles, std::string name,
                                     Variables variables, Instant deadline);
  Task<Result<Finding>> by_sign_in(const Profiles& profiles, std::string name, Instant deadline);
  // The role of the last profile of the trail.
  Task<Result<Finding>> take_role(const Profiles& profiles, Trail trail, Instant deadline);
  // The identity that asks for it.
  Task<Result<Finding>> role_taker(const Profiles& profiles, Trail trail, Instant deadline);
  Task<Result<Finding>> from_credential_source(std::string profile_name, std::string kind,
                                               Instant deadline);

  const AwsEnv env_;
};

}  // namespace forebay::aws
