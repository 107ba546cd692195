#include "forebay/aws/credentials/profile_credentials.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "forebay/aws/credentials/container_credentials.hpp"
#include "forebay/aws/credentials/environment_credentials.hpp"
#include "forebay/aws/credentials/instance_credentials.hpp"
#include "forebay/aws/credentials/process_credentials.hpp"
#include "forebay/aws/credentials/sso_credentials.hpp"
#include "forebay/aws/credentials/sts.hpp"

namespace forebay::aws {
namespace {

bool has_key(const Profile& profile, const std::string& key) {
  return !value_at(profile, key).empty();
}

bool has_any_key(const Profile& profile) {
  return has_key(profile, "aws_access_key_id") || has_key(profile, "aws_secret_access_key");
}

// One with a web identity takes its role by that.
bool has_role(const Profile& profile) {
  return has_key(profile, "role_arn") && !has_key(profile, "web_identity_token_file");
}

std::unexpected<Error> refused(const std::string& name, std::string_view why) {
  return failure(Errc::refused, fmt::format("the AWS profile \"{}\" {}", name, why));
}

// What one file says about a profile. Keys and token of different files do not belong together.
Result<Finding> keys_of(const Profile& profile, const std::string& name, const std::string& path) {
  if (!has_any_key(profile))
    return Finding::absent(fmt::format("the profile \"{}\" has no credentials", name));
  Credentials credentials(value_at(profile, "aws_access_key_id"),
                          value_at(profile, "aws_secret_access_key"),
                          value_at(profile, "aws_security_token"));
  if (credentials.access_key_id.empty() || credentials.secret_access_key.empty())
    return refused(name, fmt::format("has only one of aws_access_key_id and aws_secret_access_key "
                                     "in {}: it needs both, in one file",
                                     path));
  if (credentials.session_token.empty())
    credentials.session_token = value_at(profile, "aws_session_token");
  credentials.source = fmt::format("the profile \"{}\" in {}", name, path);
  return Finding::found(std::move(credentials));
}

RoleRequest role_of(const Profile& profile) {
  RoleRequest role(value_at(profile, "role_arn"));
  role.session_name = value_at(profile, "role_session_name");
  role.external_id = value_at(profile, "external_id");
  role.duration_seconds = value_at(profile, "duration_seconds");
  return role;
}

}  // namespace

Task<Result<Finding>> ProfileCredentials::look(Instant deadline) {
  const Profiles profiles = co_await load_profiles(env_);
  const std::string name = profiles.selected_name;
  const Profile* const profile = profiles.find(name);
  const std::string where =
      fmt::format("{} or {}", profiles.config_path, profiles.credentials_path);
  if (profile == nullptr && !profiles.chosen_by.empty())
    co_return failure(Errc::refused, fmt::format("{} is \"{}\", but there is no such profile in {}",
                                                 profiles.chosen_by, name, where));
  if (profile != nullptr && has_role(*profile)) {
    Trail trail(1, name);
    co_return co_await take_role(profiles, std::move(trail), deadline);
  }
  Result<Finding> finding = co_await without_role(profiles, name, Variables::used, deadline);
  if (!finding || finding->credentials()) co_return finding;
  const std::string reason = profile == nullptr
                                 ? fmt::format("there is no profile \"{}\" in {}", name, where)
                                 : finding->reason();
  co_return Finding::absent("AWS_WEB_IDENTITY_TOKEN_FILE is not set; " + reason);
}

Task<Result<Finding>> ProfileCredentials::without_role(const Profiles& profiles, std::string name,
                                                       Variables variables, Instant deadline) {
  Result<Finding> finding = co_await web_identity(env_, profiles, name, variables, deadline);
  if (!finding || finding->credentials()) co_return finding;
  finding = co_await by_sign_in(profiles, name, deadline);
  if (!finding || finding->credentials()) co_return finding;
  finding = keys_of(profiles.in_credentials(name), name, profiles.credentials_path);
  if (!finding || finding->credentials()) co_return finding;
  const Profile* const profile = profiles.find(name);
  if (profile != nullptr && has_key(*profile, "login_session"))
    co_return refused(
        name, fmt::format("signs in a person (login_session), which forebay cannot do: give it "
                          "what `aws configure export-credentials --profile {} --format env` "
                          "prints, or use a role",
                          name));
  if (profile != nullptr && has_key(*profile, "credential_process")) {
    Result<Credentials> printed = co_await credentials_of_program(
        env_, value_at(*profile, "credential_process"), name, deadline);
    if (!printed) co_return failure(printed.error());
    co_return Finding::found(std::move(*printed));
  }
  co_return keys_of(profiles.in_config(name), name, profiles.config_path);
}

Task<Result<Finding>> ProfileCredentials::by_sign_in(const Profiles& profiles, std::string name,
                                                     Instant deadline) {
  const Result<std::optional<SsoSettings>> settings = sso_settings(profiles, name);
  if (!settings) co_return failure(settings.error());
  if (!*settings) co_return Finding::absent("");
  Result<Credentials> credentials = co_await sso_credentials(env_, profiles, **settings, deadline);
  if (!credentials) co_return failure(credentials.error());
  co_return Finding::found(std::move(*credentials));
}

Task<Result<Finding>> ProfileCredentials::take_role(const Profiles& profiles, Trail trail,
                                                    Instant deadline) {
  const std::string name = trail.back();
  const Profile& profile = *profiles.find(name);
  if (has_key(profile, "mfa_serial"))
    co_return refused(name,
                      "asks for a code of a person's device (mfa_serial), which forebay "
                      "cannot do: use a role that needs none");
  Result<Finding> taker = co_await role_taker(profiles, std::move(trail), deadline);
  if (!taker) co_return taker;
  if (!taker->credentials())
    co_return refused(name, fmt::format("has a role, but nobody to take it: {}", taker->reason()));
  Credentials signer = *taker->credentials();
  RoleRequest role = role_of(profile);
  Sts sts(env_, profiles);
  Result<Credentials> credentials =
      co_await sts.assume_role(std::move(role), std::move(signer), deadline);
  if (!credentials) co_return failure(credentials.error());
  credentials->source += fmt::format(" of the profile \"{}\"", name);
  co_return Finding::found(std::move(*credentials));
}

Task<Result<Finding>> ProfileCredentials::role_taker(const Profiles& profiles, Trail trail,
                                                     Instant deadline) {
  std::string name = trail.back();
  const Profile& profile = *profiles.find(name);
  std::string source = value_at(profile, "source_profile");
  std::string kind = value_at(profile, "credential_source");
  if (source.empty() == kind.empty())
    co_return refused(name,
                      "has role_arn, so it needs source_profile or credential_source, and "
                      "only one of them");
  if (!kind.empty())
    co_return co_await from_credential_source(std::move(name), std::move(kind), deadline);
  const Profile* const other = profiles.find(source);
  if (other == nullptr)
    co_return refused(
        name, fmt::format("has \"{}\" as its source_profile, which does not exist", source));
  const bool was_here = std::ranges::find(trail, source) != trail.end();
  trail.push_back(source);
  // A profile may be its own source: then its keys take its role.
  if (was_here && !(source == name && has_any_key(*other)))
    co_return refused(
        source, fmt::format("leads back to itself by source_profile: {}", fmt::join(trail, ", ")));
  if (has_any_key(*other) || !has_role(*other))
    co_return co_await without_role(profiles, std::move(source), Variables::ignored, deadline);
  co_return co_await take_role(profiles, std::move(trail), deadline);
}

Task<Result<Finding>> ProfileCredentials::from_credential_source(std::string profile_name,
                                                                 std::string kind,
                                                                 Instant deadline) {
  if (kind == "Environment") {
    EnvironmentCredentials source(env_.machine);
    co_return co_await source.look(deadline);
  }
  if (kind == "EcsContainer") {
    ContainerCredentials source(env_);
    co_return co_await source.look(deadline);
  }
  if (kind == "Ec2InstanceMetadata") {
    InstanceCredentials source(env_);
    co_return co_await source.look(deadline);
  }
  co_return refused(profile_name,
                    fmt::format("has the credential_source \"{}\"; it can be Environment, "
                                "EcsContainer or Ec2InstanceMetadata",
                                kind));
}

}  // namespace forebay::aws
