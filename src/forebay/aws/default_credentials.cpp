#include "forebay/aws/default_credentials.hpp"

#include "forebay/aws/cached_credentials.hpp"
#include "forebay/aws/container_credentials.hpp"
#include "forebay/aws/credentials_chain.hpp"
#include "forebay/aws/environment_credentials.hpp"
#include "forebay/aws/instance_credentials.hpp"
#include "forebay/aws/profile_credentials.hpp"
#include "forebay/aws/stoppable_env.hpp"
#include "forebay/aws/web_identity_credentials.hpp"

namespace forebay::aws {

namespace {

CredentialsChain::Sources all_sources(const AwsEnv& env) {
  CredentialsChain::Sources sources;
  sources.push_back(std::make_unique<EnvironmentCredentials>(env.machine));
  sources.push_back(std::make_unique<WebIdentityCredentials>(env));
  sources.push_back(std::make_unique<ProfileCredentials>(env));
  sources.push_back(std::make_unique<ContainerCredentials>(env));
  sources.push_back(std::make_unique<InstanceCredentials>(env));
  return sources;
}

// An address where nobody answers takes many seconds, and a program that ends has no use for them.
class StoppableChain final : public CredentialsProvider {
 public:
  StoppableChain(Env env, HttpTransport& http, Machine& machine)
      : http_(env.scheduler, http),
        machine_(env.scheduler, machine),
        chain_(all_sources(AwsEnv{env, http_, machine_})) {}

  Task<Result<Credentials>> get(Instant deadline) override { return chain_.get(deadline); }
  Task<void> close() override {
    http_.stop();
    machine_.stop();
    co_return;
  }

 private:
  StoppableHttp http_;
  StoppableMachine machine_;
  CredentialsChain chain_;
};

}  // namespace

std::unique_ptr<CredentialsProvider> default_credentials(Env env, HttpTransport& http,
                                                         Machine& machine) {
  return std::make_unique<CachedCredentials>(env,
                                             std::make_unique<StoppableChain>(env, http, machine));
}

}  // namespace forebay::aws
