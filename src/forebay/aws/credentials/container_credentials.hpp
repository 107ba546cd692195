// ContainerCredentials: those that Amazon ECS, or the pod identity agent of Amazon EKS, hands to a
// container.
//
// AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is a path at 169.254.170.2;
// AWS_CONTAINER_CREDENTIALS_FULL_URI a whole address, over plain HTTP only for this machine and
// the agents' own addresses. AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, read each time because the
// token in it changes, or AWS_CONTAINER_AUTHORIZATION_TOKEN say who asks.
#pragma once

#include <string_view>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/credentials_source.hpp"

namespace forebay::aws {

class ContainerCredentials final : public CredentialsSource {
 public:
  explicit ContainerCredentials(AwsEnv env) : env_(env) {}
  Task<Result<Finding>> look(Instant deadline) override;

 private:
  // Empty: none is configured.
  Result<std::string> address() const;
  Task<Result<std::string>> authorization();

  const AwsEnv env_;
};

}  // namespace forebay::aws
