// default_credentials(): credentials as the AWS SDKs find them, cached and renewed.
#pragma once

#include <memory>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials.hpp"

namespace forebay::aws {

// Looks in the order of the SDKs for Java and Go: environment, web identity, profile files,
// container, instance metadata. The owner awaits close() before it destroys the provider. It does
// not wait for a request or a read that is under way: transport and machine outlive those, as they
// outlive the tasks of the scheduler. Confined to the scheduler of env.
std::unique_ptr<CredentialsProvider> default_credentials(Env env, HttpTransport& http,
                                                         Machine& machine);

}  // namespace forebay::aws
