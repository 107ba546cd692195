// Credentials of a role that a person has by single sign-on (IAM Identity Center).
#pragma once

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/aws/credentials/sso_settings.hpp"

namespace forebay::aws {

// Errors: refused (with what to do), connect_failed and timed_out (try again later), closed.
Task<Result<Credentials>> sso_credentials(AwsEnv env, const Profiles& profiles,
                                          SsoSettings settings, Instant deadline);

}  // namespace forebay::aws
