// Where a service of AWS is reached.
#pragma once

#include <string>
#include <string_view>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/profiles.hpp"

namespace forebay::aws {

// For one region, as AWS names its hosts. In this order: AWS_ENDPOINT_URL_<SERVICE>,
// AWS_ENDPOINT_URL, that of the service in the [services] to which the selected profile refers, the
// profile's endpoint_url, unless AWS_IGNORE_CONFIGURED_ENDPOINT_URLS is true; then the region's
// own, with regard to AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT. Without a slash at its
// end. The service as in these settings: "dynamodb", "sts", "sso", "sso_oidc". Errc::invalid: the
// profile refers to [services] that are not there.
Result<std::string> endpoint_url(std::string_view service, std::string_view region,
                                 const Machine& machine, const Profiles& profiles);

// The same with the profiles read.
Task<Result<std::string>> find_endpoint_url(AwsEnv env, std::string service, std::string region);

}  // namespace forebay::aws
