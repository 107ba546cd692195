#include "forebay/aws/credentials/sso_credentials.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "forebay/aws/credentials/credentials_answer.hpp"
#include "forebay/aws/credentials/http_tries.hpp"
#include "forebay/aws/credentials/sso_token.hpp"
#include "forebay/aws/endpoint.hpp"
#include "forebay/aws/json.hpp"
#include "forebay/aws/signing/uri.hpp"

namespace forebay::aws {
namespace {

Result<Credentials> read_answer(const std::string& body, const SsoSettings& settings) {
  const auto unclear = [&settings] {
    return failure(Errc::connect_failed,
                   fmt::format("single sign-on answered without credentials for the AWS profile "
                               "\"{}\"",
                               settings.profile));
  };
  const std::optional<boost::json::object> answer = parse_object(body);
  const boost::json::value* const inner = answer ? answer->if_contains("roleCredentials") : nullptr;
  if (inner == nullptr || !inner->is_object()) return unclear();
  const boost::json::object& role = inner->get_object();
  const boost::json::value* const end = role.if_contains("expiration");
  Credentials credentials(text_at(role, "accessKeyId"), text_at(role, "secretAccessKey"),
                          text_at(role, "sessionToken"));
  const bool is_whole = !credentials.access_key_id.empty() &&
                        !credentials.secret_access_key.empty() && end != nullptr &&
                        end->is_int64() && end->get_int64() >= 0;
  if (!is_whole) return unclear();
  credentials.expires_at = WallTime(std::chrono::milliseconds(end->get_int64()));
  credentials.source = fmt::format("single sign-on of the profile \"{}\" (role {} of account {})",
                                   settings.profile, settings.role_name, settings.account_id);
  return credentials;
}

}  // namespace

Task<Result<Credentials>> sso_credentials(AwsEnv env, const Profiles& profiles,
                                          SsoSettings settings, Instant deadline) {
  const Result<std::string> token = co_await sso_token(env, profiles, settings, deadline);
  if (!token) co_return failure(token.error());
  const Result<std::string> url = endpoint_url("sso", settings.region, env.machine, profiles);
  if (!url) co_return failure(url.error());
  HttpRequest request(
      "GET", fmt::format("{}/federation/credentials?role_name={}&account_id={}", *url,
                         uri_encoded(settings.role_name), uri_encoded(settings.account_id)));
  request.headers.emplace_back("x-amz-sso_bearer_token", *token);
  const Tries tries{};
  const Result<HttpResponse> response =
      co_await send_in_tries(env, std::move(request), tries, deadline);
  const std::string who = fmt::format("single sign-on at {}", *url);
  if (!response)
    co_return failure(response.error().code(),
                      fmt::format("no credentials from {}: {}", who, response.error().text()));
  if (response->status == 401)
    co_return failure(Errc::refused, fmt::format("the sign-in to {} is no longer valid: {}",
                                                 settings.start_url, sign_in_again(settings)));
  if (response->status != 200) {
    const Error error = status_error(*response, who);
    co_return failure(error.code(),
                      fmt::format("{}; may the one who signed in have the role {} of account {}?",
                                  error.text(), settings.role_name, settings.account_id));
  }
  co_return read_answer(response->body, settings);
}

}  // namespace forebay::aws
