// A role taken with a token that somebody else vouches for, as for the service accounts of Amazon
// EKS (IRSA).
//
// AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN and AWS_ROLE_SESSION_NAME; or web_identity_token_file,
// role_arn and role_session_name of a profile, each where its variable is not set. The file is read
// each time, because the token in it changes.
#pragma once

#include <string>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/credentials_source.hpp"
#include "forebay/aws/credentials/profiles.hpp"

namespace forebay::aws {

enum class Variables : bool { ignored, used };

Task<Result<Finding>> web_identity(AwsEnv env, const Profiles& profiles, std::string profile_name,
                                   Variables variables, Instant deadline);

}  // namespace forebay::aws
