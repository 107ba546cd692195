#include "forebay/aws/region.hpp"

#include <algorithm>

#include "forebay/aws/credentials/instance_metadata.hpp"
#include "forebay/aws/signing/uri.hpp"
#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {
namespace {

// Regions become parts of host names, so nothing else may be in them.
bool is_region(std::string_view text) {
  return !text.empty() && text.size() <= 40 && std::ranges::all_of(text, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  });
}

}  // namespace

std::optional<std::string> region_of_host(std::string_view address) {
  constexpr std::string_view kEnd = ".on.aws";
  const std::string plain = plain_host(address);
  std::string_view host = plain;
  if (!host.ends_with(kEnd)) return std::nullopt;
  host.remove_suffix(kEnd.size());
  const std::size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view region = host.substr(dot + 1);
  const std::size_t before = host.rfind('.', dot - 1);
  if (before == std::string_view::npos || !is_region(region)) return std::nullopt;
  if (!host.substr(before + 1, dot - before - 1).starts_with("dsql")) return std::nullopt;
  return std::string(region);
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
