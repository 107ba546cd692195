#include "forebay/aws/credentials/sso_token.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "forebay/aws/credentials/credentials_answer.hpp"
#include "forebay/aws/credentials/http_tries.hpp"
#include "forebay/aws/credentials/iso_time.hpp"
#include "forebay/aws/endpoint.hpp"
#include "forebay/aws/json.hpp"
#include "forebay/base/log.hpp"
#include "forebay/hash/digest.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;
// As the AWS command wrote it; what we do not know stays in it.
using CachedToken = boost::json::object;

constexpr Duration kRenewAhead = 15min;

std::optional<WallTime> time_at(const CachedToken& token, std::string_view name) {
  std::string text = text_at(token, name);
  // As older versions of the AWS command wrote it.
  if (text.ends_with("UTC")) text.replace(text.size() - 3, 3, "Z");
  return parse_iso_time(text);
}

std::string cache_path(const Machine& machine, const SsoSettings& settings) {
  const std::string& name = settings.session.empty() ? settings.start_url : settings.session;
  return expanded_path(machine, fmt::format("~/.aws/sso/cache/{}.json", sha1_hex(name)));
}

bool can_be_renewed(const CachedToken& token, WallTime now) {
  const bool is_whole = !text_at(token, "refreshToken").empty() &&
                        !text_at(token, "clientId").empty() &&
                        !text_at(token, "clientSecret").empty();
  const std::optional<WallTime> end = time_at(token, "registrationExpiresAt");
  return is_whole && end && *end > now;
}

// The token with what the service answered in the place of what it had.
Result<CachedToken> with_answer(CachedToken token, const HttpResponse& response,
                                const std::string& who, WallTime now) {
  if (response.status != 200) return failure(status_error(response, who));
  const std::optional<boost::json::object> answer = parse_object(response.body);
  const std::string access = answer ? text_at(*answer, "accessToken") : std::string();
  const boost::json::value* const seconds = answer ? answer->if_contains("expiresIn") : nullptr;
  if (access.empty() || seconds == nullptr || !seconds->is_int64())
    return failure(Errc::connect_failed, who + " answered without a token");
  token["accessToken"] = access;
  token["expiresAt"] = iso_time(now + std::chrono::seconds(seconds->get_int64()));
  token.erase("refreshToken");
  const std::string refresh = text_at(*answer, "refreshToken");
  if (!refresh.empty()) token["refreshToken"] = refresh;
  return token;
}

Task<Result<CachedToken>> renewed(AwsEnv env, const Profiles& profiles, const SsoSettings& settings,
                                  const CachedToken& token, Instant deadline) {
  const Result<std::string> url = endpoint_url("sso_oidc", settings.region, env.machine, profiles);
  if (!url) co_return failure(url.error());
  HttpRequest request("POST", *url + "/token");
  request.headers.emplace_back("Content-Type", "application/json");
  boost::json::object body;
  body["grantType"] = "refresh_token";
  for (const char* const name : {"clientId", "clientSecret", "refreshToken"})
    body[name] = text_at(token, name);
  request.body = boost::json::serialize(body);
  // Once: what renews a token may be used up by a request whose answer was lost.
  Tries once{};
  once.count = 1;
  const Result<HttpResponse> response =
      co_await send_in_tries(env, std::move(request), once, deadline);
  if (!response) co_return failure(response.error());
  const std::string who = fmt::format("the sign-in service at {}", *url);
  co_return with_answer(token, *response, who, env.env.wall_clock.now());
}

std::unexpected<Error> over(const SsoSettings& settings, std::string_view why) {
  return failure(Errc::refused, fmt::format("{}: {}", why, sign_in_again(settings)));
}

}  // namespace

std::string sign_in_again(const SsoSettings& settings) {
  return fmt::format("run `aws sso login --profile {}`", settings.profile);
}

Task<Result<std::string>> sso_token(AwsEnv env, const Profiles& profiles, SsoSettings settings,
                                    Instant deadline) {
  const std::string path = cache_path(env.machine, settings);
  const Result<std::string> text = co_await env.read_file(path);
  if (!text && text.error().code() == Errc::closed) co_return failure(text.error());
  if (!text)
    co_return over(settings, fmt::format("nobody has signed in to {}", settings.start_url));
  std::optional<CachedToken> token = parse_object(*text);
  const std::optional<WallTime> end = token ? time_at(*token, "expiresAt") : std::nullopt;
  if (!end || text_at(*token, "accessToken").empty())
    co_return over(settings, fmt::format("{} holds no sign-in", path));

  const WallTime now = env.env.wall_clock.now();
  const bool is_good = *end > now;
  const bool is_renewed =
      !settings.session.empty() && *end < now + kRenewAhead && can_be_renewed(*token, now);
  if (!is_renewed) {
    if (is_good) co_return text_at(*token, "accessToken");
    co_return over(settings, fmt::format("the sign-in to {} has ended", settings.start_url));
  }
  const Result<CachedToken> fresh = co_await renewed(env, profiles, settings, *token, deadline);
  if (!fresh && is_good) co_return text_at(*token, "accessToken");
  if (!fresh && fresh.error().code() == Errc::refused)
    co_return over(settings, fmt::format("the sign-in to {} has ended and cannot be renewed ({})",
                                         settings.start_url, fresh.error().text()));
  if (!fresh) co_return failure(fresh.error());
  std::string content = boost::json::serialize(*fresh);
  const Result<void> saved = co_await env.write_private_file(path, std::move(content));
  if (!saved)
    log::warning("AWS sign-in renewed, but not saved", {log::field("error", saved.error().text())});
  co_return text_at(*fresh, "accessToken");
}

}  // namespace forebay::aws
