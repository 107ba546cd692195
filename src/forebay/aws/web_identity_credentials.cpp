#include "forebay/aws/web_identity_credentials.hpp"

#include <optional>
#include <utility>

#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {

Task<Result<Credentials>> assume_with_token_file(AwsEnv env, std::string path, RoleRequest role,
                                                 Profile profile, Instant deadline) {
  const Result<std::string> content = co_await env.machine.read_file(path);
  if (!content)
    co_return failure(Errc::refused, "the web identity token: " + content.error().text());
  std::string token(trimmed(*content));
  if (token.empty())
    co_return failure(Errc::refused, "the web identity token file " + path + " is empty");
  Sts sts(env, profile);
  co_return co_await sts.assume_role_with_web_identity(std::move(role), std::move(token), deadline);
}

Task<Result<Finding>> WebIdentityCredentials::look(Instant deadline) {
  const std::optional<std::string> path = env_.machine.variable("AWS_WEB_IDENTITY_TOKEN_FILE");
  if (!path) co_return Finding::absent("AWS_WEB_IDENTITY_TOKEN_FILE is not set");
  const std::optional<std::string> arn = env_.machine.variable("AWS_ROLE_ARN");
  if (!arn)
    co_return failure(Errc::refused,
                      "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not: set it to the "
                      "role that the token is for");
  RoleRequest role(*arn);
  role.session_name = env_.machine.variable("AWS_ROLE_SESSION_NAME").value_or("");
  const Profiles profiles = co_await load_profiles(env_.machine);
  Profile profile = profiles.selected();
  Result<Credentials> credentials =
      co_await assume_with_token_file(env_, *path, std::move(role), std::move(profile), deadline);
  if (!credentials) co_return failure(credentials.error());
  credentials->source += " by web identity";
  co_return Finding::found(std::move(*credentials));
}

}  // namespace forebay::aws
