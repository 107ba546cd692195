// Which region of AWS to talk to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/profiles.hpp"

namespace forebay::aws {

class RegionHints {
 public:
  explicit RegionHints(std::string explicit_region = {}, std::string database_host = {})
      : region(std::move(explicit_region)), host(std::move(database_host)) {}

  std::string region;  // what the user said; it counts most
  std::string host;    // of a DSQL cluster: its name says where it is
};

// As dsql_region(), with any port.
std::optional<std::string> region_of_host(std::string_view address);

// AWS_REGION, AWS_DEFAULT_REGION, the profile's region; empty: none of them.
std::string configured_region(const Machine& machine, const Profile& profile);

// The hints, then what is configured, then the instance's own. The host comes before what is
// configured because a token for another region is of no use there.
Task<Result<std::string>> find_region(AwsEnv env, RegionHints hints, Instant deadline);

}  // namespace forebay::aws
