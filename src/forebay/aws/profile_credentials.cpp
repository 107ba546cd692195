#include "forebay/aws/profile_credentials.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "forebay/aws/container_credentials.hpp"
#include "forebay/aws/environment_credentials.hpp"
#include "forebay/aws/instance_credentials.hpp"
#include "forebay/aws/sts.hpp"
#include "forebay/aws/web_identity_credentials.hpp"

namespace forebay::aws {
namespace {

bool has_key(const Profile& profile, const std::string& key) {
  return !value_at(profile, key).empty();
}

bool has_keys(const Profile& profile) {
  return has_key(profile, "aws_access_key_id") && has_key(profile, "aws_secret_access_key");
}

Finding keys_of(const Profile& profile, const std::string& name) {
  Credentials credentials(value_at(profile, "aws_access_key_id"),
                          value_at(profile, "aws_secret_access_key"),
                          value_at(profile, "aws_session_token"));
  credentials.source = fmt::format("the profile \"{}\"", name);
  return Finding::found(std::move(credentials));
}

std::unexpected<Error> refused(const std::string& name, std::string_view why) {
  return failure(Errc::refused, fmt::format("the AWS profile \"{}\" {}", name, why));
}

// Why a profile without keys and without a role has no credentials.
Result<Finding> without_keys(const Profile& profile, const std::string& name) {
  if (has_key(profile, "aws_access_key_id") || has_key(profile, "aws_secret_access_key"))
    return refused(name,
                   "has only one of aws_access_key_id and aws_secret_access_key: it needs both");
  const bool is_sso = std::ranges::any_of(
      profile, [](const auto& entry) { return entry.first.starts_with("sso_"); });
  if (is_sso || has_key(profile, "login_session"))
    return refused(name, fmt::format("signs in a person (sso_*), which forebay cannot do: give it "
                                     "what `aws configure export-credentials --profile {} "
                                     "--format env` prints, or use a role",
                                     name));
  if (has_key(profile, "credential_process"))
    return refused(name,
                   "gets its credentials from a program (credential_process), which forebay "
                   "does not start: pass what it prints as AWS_ACCESS_KEY_ID, "
                   "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or use a role");
  return Finding::absent(fmt::format("the profile \"{}\" has no credentials", name));
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
  const Profiles profiles = co_await load_profiles(env_.machine);
  const std::string name = profiles.selected_name;
  const std::string where = fmt::format("{}", fmt::join(profiles.paths, " or "));
  if (profiles.find(name) == nullptr) {
    if (profiles.is_chosen)
      co_return failure(
          Errc::refused,
          fmt::format("AWS_PROFILE is \"{}\", but there is no such profile in {}", name, where));
    co_return Finding::absent(fmt::format("there is no profile \"{}\" in {}", name, where));
  }
  Trail trail;
  co_return co_await resolve(profiles, name, std::move(trail), deadline);
}

Task<Result<Finding>> ProfileCredentials::resolve(const Profiles& profiles, std::string name,
                                                  Trail trail, Instant deadline) {
  const Profile* const profile = profiles.find(name);
  if (profile == nullptr)
    co_return refused(trail.back(),
                      fmt::format("has \"{}\" as its source_profile, which does not exist", name));
  const bool is_source = !trail.empty();
  const bool has_role = has_key(*profile, "role_arn");
  // A profile may be its own source: then its keys take its role.
  if (has_keys(*profile) && (is_source || !has_role)) co_return keys_of(*profile, name);
  if (!has_role) co_return without_keys(*profile, name);
  const bool is_loop = std::ranges::find(trail, name) != trail.end();
  trail.push_back(name);
  if (is_loop)
    co_return refused(
        name, fmt::format("leads back to itself by source_profile: {}", fmt::join(trail, ", ")));
  co_return co_await take_role(profiles, std::move(name), std::move(trail), deadline);
}

Task<Result<Finding>> ProfileCredentials::take_role(const Profiles& profiles, std::string name,
                                                    Trail trail, Instant deadline) {
  const Profile& profile = *profiles.find(name);
  if (has_key(profile, "mfa_serial"))
    co_return refused(name,
                      "asks for a code of a person's device (mfa_serial), which forebay "
                      "cannot do: use a role that needs none");
  RoleRequest role = role_of(profile);
  Result<Credentials> credentials = failure(Errc::refused, "");
  if (has_key(profile, "web_identity_token_file")) {
    Profile selected = profiles.selected();
    credentials =
        co_await assume_with_token_file(env_, value_at(profile, "web_identity_token_file"),
                                        std::move(role), std::move(selected), deadline);
  } else {
    Result<Finding> taker = co_await role_taker(profiles, name, std::move(trail), deadline);
    if (!taker) co_return taker;
    if (!taker->credentials())
      co_return refused(name,
                        fmt::format("has a role, but nobody to take it: {}", taker->reason()));
    Credentials signer = *taker->credentials();
    Sts sts(env_, profiles.selected());
    credentials = co_await sts.assume_role(std::move(role), std::move(signer), deadline);
  }
  if (!credentials) co_return failure(credentials.error());
  credentials->source += fmt::format(" of the profile \"{}\"", name);
  co_return Finding::found(std::move(*credentials));
}

Task<Result<Finding>> ProfileCredentials::role_taker(const Profiles& profiles, std::string name,
                                                     Trail trail, Instant deadline) {
  const Profile& profile = *profiles.find(name);
  std::string source = value_at(profile, "source_profile");
  std::string kind = value_at(profile, "credential_source");
  if (source.empty() == kind.empty())
    co_return refused(name,
                      "has role_arn, so it needs source_profile or credential_source, and "
                      "only one of them");
  if (!source.empty())
    co_return co_await resolve(profiles, std::move(source), std::move(trail), deadline);
  co_return co_await from_credential_source(std::move(name), std::move(kind), deadline);
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
