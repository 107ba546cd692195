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

// Empty: none is configured.
Result<std::string> configured_url(std::string_view service, const Machine& machine,
                                   const Profiles& profiles) {
  std::string variable = "AWS_ENDPOINT_URL_";
  std::ranges::transform(service, std::back_inserter(variable), &upper);
  if (const std::optional<std::string> url = machine.variable(variable)) return *url;
  if (const std::optional<std::string> url = machine.variable("AWS_ENDPOINT_URL")) return *url;
  const Profile& profile = profiles.selected();
  if (const std::string name = value_at(profile, "services"); !name.empty()) {
    const Profile* const services = profiles.services(name);
    if (services == nullptr)
      return failure(Errc::invalid,
                     fmt::format("the AWS profile \"{}\" has services = {}, but there is no "
                                 "[services {}] in {}",
                                 profiles.selected_name, name, name, profiles.config_path));
    std::string url = value_at(*services, std::string(service) + ".endpoint_url");
    if (!url.empty()) return url;
  }
  return value_at(profile, "endpoint_url");
}

// The first part of the host's name.
std::string_view host_begin(std::string_view service) {
  if (service == "sso") return "portal.sso";
  if (service == "sso_oidc") return "oidc";
  return service;
}

}  // namespace

Result<std::string> endpoint_url(std::string_view service, std::string_view region,
                                 const Machine& machine, const Profiles& profiles) {
  const auto is_on = [&machine, &profile = profiles.selected()](std::string_view variable,
                                                                const std::string& key) {
    return is_true(setting(machine, profile, variable, key));
  };
  if (!is_on("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls")) {
    const Result<std::string> configured = configured_url(service, machine, profiles);
    if (!configured) return failure(configured.error());
    std::string_view url = trimmed(*configured);
    while (url.ends_with('/')) url.remove_suffix(1);
    if (!url.empty()) return std::string(url);
  }
  const bool is_dual = is_on("AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint");
  // In the regions of the government every endpoint is a FIPS one, under its plain name.
  const bool is_fips =
      !region.starts_with("us-gov-") && is_on("AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint");
  const Partition& partition = partition_of(region);
  return fmt::format("https://{}{}.{}.{}", host_begin(service), is_fips ? "-fips" : "", region,
                     is_dual ? partition.dual_stack_suffix : partition.suffix);
}

Task<Result<std::string>> find_endpoint_url(AwsEnv env, std::string service, std::string region) {
  const Profiles profiles = co_await load_profiles(env);
  co_return endpoint_url(service, region, env.machine, profiles);
}

}  // namespace forebay::aws
