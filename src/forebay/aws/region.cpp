#include "forebay/aws/region.hpp"

#include "forebay/aws/credentials/instance_metadata.hpp"
#include "forebay/aws/signing/uri.hpp"
#include "forebay/base/ascii_text.hpp"
#include "forebay/base/dsql_host.hpp"

namespace forebay::aws {

std::optional<std::string> region_of_host(std::string_view address) {
  return dsql_region(plain_host(address));
}

std::string configured_region(const Machine& machine, const Profile& profile) {
  for (const std::string_view name : {"AWS_REGION", "AWS_DEFAULT_REGION"})
    if (const std::optional<std::string> value = machine.variable(name))
      return std::string(trimmed(*value));
  return value_at(profile, "region");
}

Task<Result<std::string>> find_region(AwsEnv env, RegionHints hints, Instant deadline) {
  std::string region = hints.region;
  if (region.empty()) region = region_of_host(hints.host).value_or("");
  Profiles profiles;
  if (region.empty()) {
    profiles = co_await load_profiles(env);
    region = configured_region(env.machine, profiles.selected());
  }
  std::string why = "instance metadata did not name one";
  if (region.empty()) {
    InstanceMetadata metadata(env, profiles.selected());
    Result<MetadataAnswer> answer =
        co_await metadata.get("/latest/meta-data/placement/region", deadline);
    if (answer && answer->text) region = trimmed(*answer->text);
    if (answer && !answer->text) why = answer->absence;
    if (!answer) why = answer.error().text();
  }
  if (region.empty())
    co_return failure(Errc::invalid,
                      "no AWS region is known (AWS_REGION and AWS_DEFAULT_REGION are not set, the "
                      "profile has none, " +
                          why + "): set AWS_REGION, for example to eu-west-1");
  if (!is_region(region))
    co_return failure(Errc::invalid,
                      "\"" + region + "\" is not the name of an AWS region, like eu-west-1");
  co_return region;
}

}  // namespace forebay::aws
