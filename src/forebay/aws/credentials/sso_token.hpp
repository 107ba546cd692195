// The token that a person got by `aws sso login`, from the cache of the AWS command.
//
// That of an [sso-session] is renewed a quarter of an hour before its end and put back, because the
// one that renews it can be used once. If a person must sign in again, the error
// names the command. No text holds a token.
#pragma once

#include <string>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/sso_settings.hpp"

namespace forebay::aws {

// For people: what is to be done when a sign-in is over.
std::string sign_in_again(const SsoSettings& settings);

// Errors: refused (a person must sign in), connect_failed and timed_out (try again later), closed.
Task<Result<std::string>> sso_token(AwsEnv env, const Profiles& profiles, SsoSettings settings,
                                    Instant deadline);

}  // namespace forebay::aws
