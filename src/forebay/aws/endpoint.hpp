// Where a service of AWS is reached.
#pragma once

#include <string>
#include <string_view>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/profiles.hpp"

namespace forebay::aws {

// For one region, as AWS names its hosts; the profile is the selected one. In this order:
// AWS_ENDPOINT_URL_<SERVICE>, AWS_ENDPOINT_URL and the profile's endpoint_url, unless
// AWS_IGNORE_CONFIGURED_ENDPOINT_URLS is true; then the region's own, with regard to
// AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT. Without a slash at its end.
// The service: "dynamodb", "sts".
std::string endpoint_url(std::string_view service, std::string_view region, const Machine& machine,
                         const Profile& profile);

// The same with the profile read.
Task<std::string> find_endpoint_url(AwsEnv env, std::string service, std::string region);

}  // namespace forebay::aws
