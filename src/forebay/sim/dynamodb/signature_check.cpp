#include "forebay/sim/dynamodb/signature_check.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/utc_text.hpp"

namespace forebay::sim::dynamodb {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256 ";

// "a=1, b=2": the value of one of them.
std::string part_of(std::string_view text, std::string_view name) {
  const std::string start = std::string(name) + "=";
  const std::size_t place = text.find(start);
  if (place == std::string_view::npos) return {};
  text.remove_prefix(place + start.size());
  return std::string(text.substr(0, text.find(',')));
}

std::string time_text(WallTime time) { return short_iso_text(time.time_since_epoch()); }

std::optional<Refusal> check_time(const std::string& text, WallTime time, WallTime now) {
  if (time < now - kClockTolerance) {
    return Refusal("InvalidSignatureException",
                   fmt::format("Signature expired: {} is now earlier than {} ({} - 5 min.)", text,
                               time_text(now - kClockTolerance), time_text(now)));
  }
  if (time > now + kClockTolerance) {
    return Refusal("InvalidSignatureException",
                   fmt::format("Signature not yet current: {} is still later than {} ({} + 5 min.)",
                               text, time_text(now + kClockTolerance), time_text(now)));
  }
  return std::nullopt;
}

Refusal mismatch() {
  return Refusal("InvalidSignatureException",
                 "The request signature we calculated does not match the signature you provided. "
                 "Check your AWS Secret Access Key and signing method. Consult the service "
                 "documentation for details.");
}

// What it must not leave unsigned.
bool covers_enough(const std::string& names, const aws::Credentials& credentials) {
  const std::string list = ";" + names + ";";
  const auto has = [&list](std::string_view name) {
    return list.find(fmt::format(";{};", name)) != std::string::npos;
  };
  return has("host") && has("x-amz-date") && has("x-amz-target") &&
         (credentials.session_token.empty() || has("x-amz-security-token"));
}

}  // namespace

std::optional<Refusal> check_is_signed(const HttpRequest& request) {
  const std::string_view authorization = request.header("authorization");
  if (authorization.empty()) {
    return Refusal("MissingAuthenticationTokenException",
                   "Request is missing Authentication Token");
  }
  const bool is_whole = authorization.starts_with(kAlgorithm) &&
                        !part_of(authorization, "Credential").empty() &&
                        !part_of(authorization, "SignedHeaders").empty() &&
                        parse_short_iso(std::string(request.header("x-amz-date")));
  if (is_whole) return std::nullopt;
  return Refusal("IncompleteSignatureException",
                 "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' "
                 "header, 'Credential', 'SignedHeaders' and 'Signature'");
}

std::optional<Refusal> check_signature(const HttpRequest& request,
                                       const aws::Credentials& credentials,
                                       const aws::SigningScope& scope, WallTime now) {
  const std::string authorization = std::string(request.header("authorization"));
  const std::string date = std::string(request.header("x-amz-date"));
  const std::optional<std::chrono::nanoseconds> since_1970 = parse_short_iso(date);
  const std::string names = part_of(authorization, "SignedHeaders");
  const std::string credential = part_of(authorization, "Credential");
  if (auto refusal = check_is_signed(request); refusal || !since_1970) return refusal;
  const bool is_known = credential.starts_with(credentials.access_key_id + "/");
  if (!is_known ||
      std::string(request.header("x-amz-security-token")) != credentials.session_token) {
    return Refusal("UnrecognizedClientException",
                   "The security token included in the request is invalid.");
  }
  const WallTime time(*since_1970);
  if (auto refusal = check_time(date, time, now)) return refusal;
  const std::string expected_scope =
      fmt::format("{}/{}/{}/{}/aws4_request", credentials.access_key_id, date.substr(0, 8),
                  scope.region, scope.service);
  if (credential != expected_scope) {
    return Refusal("InvalidSignatureException",
                   fmt::format("Credential should be scoped to a valid region and service, not {}",
                               credential));
  }
  HttpRequest again = request;
  const std::string list = ";" + names + ";";
  std::erase_if(again.headers, [&list](const HttpHeader& header) {
    return list.find(fmt::format(";{};", lower_case(header.name))) == std::string::npos;
  });
  const aws::Signature signature = aws::sign_headers(again, credentials, scope, time);
  if (!covers_enough(names, credentials) || part_of(authorization, "Signature") != signature.hex) {
    return mismatch();
  }
  return std::nullopt;
}

}  // namespace forebay::sim::dynamodb
