// Credentials that a program prints: credential_process of a profile.
//
// It is started without a shell, and ended at the deadline. Nothing of what it prints gets into an
// error, and of what it writes to its standard error only what repeats no secret. Its arguments may
// be secrets too, and are not told.
#pragma once

#include <string>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/credentials.hpp"

namespace forebay::aws {

// The command as it stands in the profile.
Task<Result<Credentials>> credentials_of_program(AwsEnv env, std::string command,
                                                 std::string profile, Instant deadline);

}  // namespace forebay::aws
