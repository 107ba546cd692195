// InstanceCredentials: those of the role that an EC2 instance has.
#pragma once

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/credentials_source.hpp"

namespace forebay::aws {

class InstanceCredentials final : public CredentialsSource {
 public:
  explicit InstanceCredentials(AwsEnv env) : env_(env) {}
  Task<Result<Finding>> look(Instant deadline) override;

 private:
  const AwsEnv env_;
};

}  // namespace forebay::aws
