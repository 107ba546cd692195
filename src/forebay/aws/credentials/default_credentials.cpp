#include "forebay/aws/credentials/default_credentials.hpp"

#include "forebay/aws/credentials/cached_credentials.hpp"
#include "forebay/aws/credentials/container_credentials.hpp"
#include "forebay/aws/credentials/credentials_chain.hpp"
#include "forebay/aws/credentials/environment_credentials.hpp"
#include "forebay/aws/credentials/instance_credentials.hpp"
#include "forebay/aws/credentials/profile_credentials.hpp"

namespace forebay::aws {

namespace {

CredentialsChain::Sources all_sources(const AwsEnv& env) {
  CredentialsChain::Sources sources;
  sources.push_back(std::make_unique<EnvironmentCredentials>(env.machine));
  sources.push_back(std::make_unique<ProfileCredentials>(env));
  sources.push_back(std::make_unique<ContainerCredentials>(env));
  sources.push_back(std::make_unique<InstanceCredentials>(env));
  return sources;
}

// An address where nobody answers takes many seconds, and a program that ends has no use for them.
class ClosingChain final : public CredentialsProvider {
 public:
  ClosingChain(Env env, HttpTransport& http, Machine& machine)
      : closing_(env.scheduler), chain_(all_sources(AwsEnv{env, http, machine, &closing_})) {}

  Task<Result<Credentials>> get(Instant deadline) override { return chain_.get(deadline); }
  Task<void> close() override {
    closing_.cancel();
    co_return;
  }

 private:
  Cancellation closing_;
  CredentialsChain chain_;
};

}  // namespace

std::unique_ptr<CredentialsProvider> default_credentials(Env env, HttpTransport& http,
                                                         Machine& machine, RefreshRule rule) {
  return std::make_unique<CachedCredentials>(
      env, std::make_unique<ClosingChain>(env, http, machine), rule);
}

}  // namespace forebay::aws
