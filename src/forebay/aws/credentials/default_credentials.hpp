// default_credentials(): credentials as the AWS command finds them, cached and renewed.
#pragma once

#include <memory>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/cached_credentials.hpp"
#include "forebay/aws/credentials/credentials_provider.hpp"

namespace forebay::aws {

// Looks in the order of the AWS command: environment, the profile's role, web identity, what else
// the profile has, container, instance metadata. The owner awaits close() before it destroys the
// provider. It does not wait for a request, a read or a program that is under way: transport and
// machine outlive those, as they outlive the tasks of the scheduler. Confined to the scheduler of
// env.
std::unique_ptr<CredentialsProvider> default_credentials(Env env, HttpTransport& http,
                                                         Machine& machine, RefreshRule rule = {});

}  // namespace forebay::aws
