#include "forebay/aws/credentials/web_identity_credentials.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "forebay/aws/credentials/sts.hpp"
#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {
namespace {

class WebSetting {
 public:
  std::string value;
  bool is_variable = false;
};

class WebSettings {
 public:
  WebSettings(const Machine& machine, const Profiles& profiles, const std::string& name,
              Variables variables)
      : machine_(machine), profile_(profiles.find(name)), variables_(variables) {}

  WebSetting get(std::string_view variable, const std::string& key) const {
    WebSetting setting;
    if (variables_ == Variables::used) {
      const std::optional<std::string> value = machine_.variable(variable);
      setting.is_variable = value.has_value();
      if (value) setting.value = *value;
    }
    if (!setting.is_variable && profile_ != nullptr) setting.value = value_at(*profile_, key);
    return setting;
  }

 private:
  const Machine& machine_;
  const Profile* const profile_;
  const Variables variables_;
};

std::unexpected<Error> without_role(const WebSetting& token_file, const std::string& profile) {
  if (token_file.is_variable)
    return failure(Errc::refused,
                   "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not: set it to the "
                   "role that the token is for");
  return failure(Errc::refused, fmt::format("the AWS profile \"{}\" has web_identity_token_file, "
                                            "but no role_arn: the role that the token is for",
                                            profile));
}

}  // namespace

Task<Result<Finding>> web_identity(AwsEnv env, const Profiles& profiles, std::string profile_name,
                                   Variables variables, Instant deadline) {
  const WebSettings settings(env.machine, profiles, profile_name, variables);
  const WebSetting path = settings.get("AWS_WEB_IDENTITY_TOKEN_FILE", "web_identity_token_file");
  if (path.value.empty()) co_return Finding::absent("AWS_WEB_IDENTITY_TOKEN_FILE is not set");
  RoleRequest role(settings.get("AWS_ROLE_ARN", "role_arn").value);
  if (role.role_arn.empty()) co_return without_role(path, profile_name);
  role.session_name = settings.get("AWS_ROLE_SESSION_NAME", "role_session_name").value;

  const Result<std::string> content = co_await env.read_file(path.value);
  if (!content)
    co_return failure(Errc::refused, "the web identity token: " + content.error().text());
  std::string token(trimmed(*content));
  if (token.empty())
    co_return failure(Errc::refused, "the web identity token file " + path.value + " is empty");
  Sts sts(env, profiles);
  Result<Credentials> credentials =
      co_await sts.assume_role_with_web_identity(std::move(role), std::move(token), deadline);
  if (!credentials) co_return failure(credentials.error());
  credentials->source += " by web identity";
  if (!path.is_variable) credentials->source += fmt::format(" of the profile \"{}\"", profile_name);
  co_return Finding::found(std::move(*credentials));
}

}  // namespace forebay::aws
