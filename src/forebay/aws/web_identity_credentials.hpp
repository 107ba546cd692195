// WebIdentityCredentials: a role taken with a token that somebody else vouches for, as for the
// service accounts of Amazon EKS (IRSA): AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN and
// AWS_ROLE_SESSION_NAME.
#pragma once

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials_source.hpp"
#include "forebay/aws/sts.hpp"

namespace forebay::aws {

class WebIdentityCredentials final : public CredentialsSource {
 public:
  explicit WebIdentityCredentials(AwsEnv env) : env_(env) {}
  Task<Result<Finding>> look(Instant deadline) override;

 private:
  const AwsEnv env_;
};

// The file is read each time, because the token in it changes.
Task<Result<Credentials>> assume_with_token_file(AwsEnv env, std::string path, RoleRequest role,
                                                 Profile profile, Instant deadline);

}  // namespace forebay::aws
