// EnvironmentCredentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_SECURITY_TOKEN or
// AWS_SESSION_TOKEN, and AWS_CREDENTIAL_EXPIRATION.
#pragma once

#include "forebay/aws/credentials/credentials_source.hpp"
#include "forebay/env/machine.hpp"

namespace forebay::aws {

class EnvironmentCredentials final : public CredentialsSource {
 public:
  explicit EnvironmentCredentials(const Machine& machine) : machine_(machine) {}
  Task<Result<Finding>> look(Instant deadline) override;

 private:
  const Machine& machine_;
};

}  // namespace forebay::aws
