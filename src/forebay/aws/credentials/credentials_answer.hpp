// The JSON in which container and instance endpoints, and programs, hand out credentials.
#pragma once

#include <string>
#include <string_view>

#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/env/http.hpp"

namespace forebay::aws {

// An answer of status 200. `who` answered, for people. Nothing of the body gets into an error,
// except a code made of letters and digits.
Result<Credentials> read_credentials(std::string_view body, const std::string& who,
                                     std::string_view token_name = "Token");

// For any other status.
Error status_error(const HttpResponse& response, const std::string& who);

}  // namespace forebay::aws
