#include "forebay/cli/aws_access.hpp"

#include "forebay/aws/credentials/default_credentials.hpp"
#include "forebay/aws/endpoint.hpp"
#include "forebay/aws/region.hpp"

namespace forebay::cli {

Result<std::unique_ptr<AwsAccess>> AwsAccess::open(const std::string& region,
                                                   const std::string& host, Duration timeout) {
  std::unique_ptr<AwsAccess> access(new AwsAccess(timeout));
  Runtime& runtime = access->runtime_;
  const aws::AwsEnv env{runtime.env(), runtime.http(), runtime.machine()};
  const Result<std::string> found =
      access->wait_for(aws::find_region(env, aws::RegionHints(region, host), access->deadline()));
  if (!found) return failure(found.error());
  access->region_ = *found;
  aws::RefreshRule rule;
  rule.logs_failures = false;
  access->credentials_ = aws::default_credentials(env.env, env.http, env.machine, rule);
  const Result<std::string> url = access->wait_for(aws::find_endpoint_url(env, "dynamodb", *found));
  if (!url) return failure(url.error());
  aws::DynamoDbOptions options;
  options.region = *found;
  options.endpoint_url = *url;
  access->dynamodb_ =
      std::make_unique<aws::DynamoDb>(env.env, env.http, *access->credentials_, std::move(options));
  return access;
}

AwsAccess::~AwsAccess() {
  if (credentials_) run_blocking(runtime_.scheduler(), credentials_->close());
}

}  // namespace forebay::cli
