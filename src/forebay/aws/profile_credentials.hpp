// ProfileCredentials: those that the selected profile of the shared files leads to: keys, or a role
// taken with another profile's keys, with an instance's or container's, or with a web identity
// token.
//
// credential_process and single sign-on are refused with what to do instead: forebay starts no
// programs and asks nobody for a password.
#pragma once

#include <string>
#include <vector>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials_source.hpp"
#include "forebay/aws/profiles.hpp"

namespace forebay::aws {

class ProfileCredentials final : public CredentialsSource {
 public:
  explicit ProfileCredentials(AwsEnv env) : env_(env) {}
  Task<Result<Finding>> look(Instant deadline) override;

 private:
  using Trail = std::vector<std::string>;  // the profiles that led here, in order

  Task<Result<Finding>> resolve(const Profiles& profiles, std::string name, Trail trail,
                                Instant deadline);
  Task<Result<Finding>> take_role(const Profiles& profiles, std::string name, Trail trail,
                                  Instant deadline);
  // Who asks for the role of this profile.
  Task<Result<Finding>> role_taker(const Profiles& profiles, std::string name, Trail trail,
                                   Instant deadline);
  Task<Result<Finding>> from_credential_source(std::string profile_name, std::string kind,
                                               Instant deadline);

  const AwsEnv env_;
};

}  // namespace forebay::aws
