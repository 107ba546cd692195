#include "forebay/aws/endpoint.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {
namespace {

struct Partition {
  std::string_view region_prefix;
  std::string_view suffix;
  std::string_view dual_stack_suffix;
};

// The last one is for all other regions.
constexpr std::array<Partition, 7> kPartitions = {{
    {"cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"},
    {"us-isob-", "sc2s.sgov.gov", "api.aws.scloud"},
    {"us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"},
    {"eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"},
    {"us-iso-", "c2s.ic.gov", "api.aws.ic.gov"},
    {"eusc-", "amazonaws.eu", "api.amazonwebservices.eu"},
    {"", "amazonaws.com", "api.aws"},
}};

const Partition& partition_of(std::string_view region) {
  return *std::ranges::find_if(kPartitions, [region](const Partition& partition) {
    return region.starts_with(partition.region_prefix);
  });
}

char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

bool is_true(std::string_view text) {
  return std::ranges::equal(text, std::string_view("TRUE"), {}, &upper);
}

// The variable if it is set, else what the profile says.
std::string setting(const Machine& machine, const Profile& profile, std::string_view variable,
                    const std::string& key) {
  const std::optional<std::string> value = machine.variable(variable);
  return std::string(trimmed(value ? *value : value_at(profile, key)));
}

std::string configured_url(std::string_view service, const Machine& machine,
                           const Profile& profile) {
  std::string variable = "AWS_ENDPOINT_URL_";
  std::ranges::transform(service, std::back_inserter(variable), &upper);
  std::string url = machine.variable(variable).value_or("");
  if (url.empty()) url = setting(machine, profile, "AWS_ENDPOINT_URL", "endpoint_url");
  url = trimmed(url);
  while (url.ends_with('/')) url.pop_back();
  return url;
}

}  // namespace

std::string endpoint_url(std::string_view service, std::string_view region, const Machine& machine,
                         const Profile& profile) {
  const bool is_ignored = is_true(setting(machine, profile, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
                                          "ignore_configured_endpoint_urls"));
  if (!is_ignored) {
    if (std::string url = configured_url(service, machine, profile); !url.empty()) return url;
  }
  const bool is_dual =
      is_true(setting(machine, profile, "AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint"));
  // In the regions of the government every endpoint is a FIPS one, under its plain name.
  const bool is_fips =
      !region.starts_with("us-gov-") &&
      is_true(setting(machine, profile, "AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint"));
  const Partition& partition = partition_of(region);
  return fmt::format("https://{}{}.{}.{}", service, is_fips ? "-fips" : "", region,
                     is_dual ? partition.dual_stack_suffix : partition.suffix);
}

Task<std::string> find_endpoint_url(AwsEnv env, std::string service, std::string region) {
  const Profiles profiles = co_await load_profiles(env.machine);
  co_return endpoint_url(service, region, env.machine, profiles.selected());
}

}  // namespace forebay::aws
