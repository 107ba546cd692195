#include "forebay/aws/credentials/sts.hpp"

#include <optional>

#include <fmt/format.h>

#include "forebay/aws/credentials/http_tries.hpp"
#include "forebay/aws/credentials/iso_time.hpp"
#include "forebay/aws/credentials/xml_text.hpp"
#include "forebay/aws/endpoint.hpp"
#include "forebay/aws/region.hpp"
#include "forebay/aws/signing/sigv4.hpp"
#include "forebay/aws/signing/uri.hpp"

namespace forebay::aws {
namespace {

// AWS tells why in a sentence or two. It is shown unless it repeats what must stay unknown.
std::string told(const std::string& code, const std::string& message, const std::string& secret) {
  constexpr std::size_t kLongest = 400;
  const bool is_fit = !message.empty() && message.size() <= kLongest &&
                      (secret.empty() || message.find(secret) == std::string::npos);
  return is_fit ? fmt::format("{} ({})", code, message) : code;
}

bool is_passing(int status, std::string_view code) {
  return status == 429 || status >= 500 || code == "Throttling" || code == "RequestLimitExceeded" ||
         code == "IDPCommunicationError";
}

}  // namespace

Sts::Sts(AwsEnv env, const Profiles& profiles)
    : env_(env), region_(configured_region(env.machine, profiles.selected())) {
  // Without a region there is the old global endpoint, which lives in us-east-1.
  const bool has_region = !region_.empty();
  if (!has_region) region_ = "us-east-1";
  url_ = endpoint_url("sts", region_, env.machine, profiles);
  if (!has_region && url_ && *url_ == "https://sts.us-east-1.amazonaws.com")
    url_ = "https://sts.amazonaws.com";
  if (url_) *url_ += '/';
}

void Sts::add_parameter(HttpRequest& request, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (!request.body.empty()) request.body += '&';
  request.body += fmt::format("{}={}", name, uri_encoded(value));
}

HttpRequest Sts::form(std::string_view action, const RoleRequest& role) const {
  HttpRequest request("POST", *url_);
  request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
  request.headers.emplace_back("Accept", "text/xml");
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(env_.env.wall_clock.now().time_since_epoch());
  add_parameter(request, "Action", action);
  add_parameter(request, "Version", "2011-06-15");
  add_parameter(request, "RoleArn", role.role_arn);
  add_parameter(
      request, "RoleSessionName",
      role.session_name.empty() ? fmt::format("forebay-{}", seconds.count()) : role.session_name);
  add_parameter(request, "ExternalId", role.external_id);
  const bool has_duration =
      role.duration_seconds.find_first_not_of("0123456789") == std::string::npos;
  if (has_duration) add_parameter(request, "DurationSeconds", role.duration_seconds);
  return request;
}

Task<Result<Credentials>> Sts::assume_role(RoleRequest request, Credentials signer,
                                           Instant deadline) {
  if (!url_) co_return failure(url_.error());
  HttpRequest message = form("AssumeRole", request);
  SigningScope scope;
  scope.region = region_;
  scope.service = "sts";
  sign_headers(message, signer, scope, env_.env.wall_clock.now());
  co_return co_await ask(std::move(message), std::move(request), signer.session_token, deadline);
}

Task<Result<Credentials>> Sts::assume_role_with_web_identity(RoleRequest request, std::string token,
                                                             Instant deadline) {
  if (!url_) co_return failure(url_.error());
  HttpRequest message = form("AssumeRoleWithWebIdentity", request);
  add_parameter(message, "WebIdentityToken", token);
  co_return co_await ask(std::move(message), std::move(request), std::move(token), deadline);
}

Task<Result<Credentials>> Sts::ask(HttpRequest request, RoleRequest role, std::string secret,
                                   Instant deadline) {
  const Tries tries{};
  const Result<HttpResponse> response =
      co_await send_in_tries(env_, std::move(request), tries, deadline);
  if (!response)
    co_return failure(response.error().code(), fmt::format("the role {} could not be taken: {}",
                                                           role.role_arn, response.error().text()));
  co_return read(*response, role, secret);
}

Result<Credentials> Sts::read(const HttpResponse& response, const RoleRequest& role,
                              const std::string& secret) const {
  if (response.status != 200) {
    const std::string code = xml_text(response.body, "Code");
    const std::string why =
        told(code.empty() ? "no reason given" : code, xml_text(response.body, "Message"), secret);
    return failure(is_passing(response.status, code) ? Errc::connect_failed : Errc::refused,
                   fmt::format("the role {} could not be taken: {} answered with HTTP status {}: "
                               "{}; check the role's trust policy and who asks for it",
                               role.role_arn, split_url(*url_).host, response.status, why));
  }
  Credentials credentials(xml_text(response.body, "AccessKeyId"),
                          xml_text(response.body, "SecretAccessKey"),
                          xml_text(response.body, "SessionToken"));
  const std::optional<WallTime> end = parse_iso_time(xml_text(response.body, "Expiration"));
  const bool is_whole = !credentials.access_key_id.empty() &&
                        !credentials.secret_access_key.empty() &&
                        !credentials.session_token.empty() && end;
  if (!is_whole)
    return failure(Errc::connect_failed,
                   fmt::format("the role {} could not be taken: {} answered without credentials",
                               role.role_arn, split_url(*url_).host));
  credentials.expires_at = *end;
  credentials.source = "the role " + role.role_arn;
  return credentials;
}

}  // namespace forebay::aws
