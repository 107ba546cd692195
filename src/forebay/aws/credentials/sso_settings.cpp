#include "forebay/aws/credentials/sso_settings.hpp"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace forebay::aws {
namespace {

// The profile with what the session adds to it. They may say the same, but nothing different.
Result<Profile> with_session(const Profiles& profiles, const std::string& name) {
  Profile joined = *profiles.find(name);
  const std::string session_name = value_at(joined, "sso_session");
  if (session_name.empty()) return joined;
  const Profile* const session = profiles.sso_session(session_name);
  if (session == nullptr)
    return failure(Errc::refused,
                   fmt::format("the AWS profile \"{}\" has sso_session = {}, but "
                               "there is no [sso-session {}] in {}",
                               name, session_name, session_name, profiles.config_path));
  for (const auto& [key, value] : *session) {
    const auto [place, is_new] = joined.try_emplace(key, value);
    if (!is_new && place->second != value)
      return failure(Errc::refused,
                     fmt::format("the AWS profile \"{}\" and its [sso-session {}] disagree about "
                                 "{}: leave it out of the profile",
                                 name, session_name, key));
  }
  return joined;
}

}  // namespace

Result<std::optional<SsoSettings>> sso_settings(const Profiles& profiles, const std::string& name) {
  const Profile* const profile = profiles.find(name);
  const bool is_about_it = profile != nullptr && (profile->contains("sso_account_id") ||
                                                  profile->contains("sso_role_name"));
  if (!is_about_it) return std::optional<SsoSettings>();
  const Result<Profile> joined = with_session(profiles, name);
  if (!joined) return failure(joined.error());
  std::vector<std::string> missing;
  const auto needed = [&joined, &missing](const char* key) {
    std::string value = value_at(*joined, key);
    if (value.empty()) missing.emplace_back(key);
    return value;
  };
  SsoSettings settings(name);
  settings.session = value_at(*joined, "sso_session");
  settings.role_name = needed("sso_role_name");
  settings.account_id = needed("sso_account_id");
  settings.start_url = needed("sso_start_url");
  settings.region = needed("sso_region");
  if (!missing.empty())
    return failure(Errc::refused, fmt::format("the AWS profile \"{}\" is about single sign-on, but "
                                              "lacks {}",
                                              name, fmt::join(missing, " and ")));
  return std::optional(std::move(settings));
}

}  // namespace forebay::aws
