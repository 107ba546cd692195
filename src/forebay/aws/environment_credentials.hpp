// EnvironmentCredentials: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
#pragma once

#include "forebay/aws/credentials_source.hpp"
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
