#include "forebay/standin/access/token_check.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "forebay/aws/signing/sigv4.hpp"
#include "forebay/aws/signing/uri.hpp"
#include "forebay/base/number_text.hpp"
#include "forebay/base/utc_text.hpp"

namespace forebay::standin {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::int64_t kLongestLife = std::int64_t{7} * 24 * 3600;  // in seconds; DSQL's own limit

// What signing adds to the parameters of a request.
constexpr std::array<std::string_view, 7> kOfSignature{
    "X-Amz-Algorithm",     "X-Amz-Credential",     "X-Amz-Date",     "X-Amz-Expires",
    "X-Amz-SignedHeaders", "X-Amz-Security-Token", "X-Amz-Signature"};

struct Token {
  std::string host;
  std::map<std::string, std::string, std::less<>> parameters;
  bool is_whole = true;  // each parameter is there once

  std::string_view get(std::string_view name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : found->second;
  }
};

Token read_token(std::string_view text) {
  Token token;
  const std::size_t question = text.find('?');
  std::string_view host = text.substr(0, question);
  if (host.ends_with('/')) host.remove_suffix(1);
  token.host = host;
  std::string_view query = question == std::string_view::npos ? "" : text.substr(question + 1);
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
    const std::size_t middle = parameter.find('=');
    const std::string_view value =
        middle == std::string_view::npos ? "" : parameter.substr(middle + 1);
    const bool is_new =
        token.parameters
            .emplace(aws::uri_decoded(parameter.substr(0, middle)), aws::uri_decoded(value))
            .second;
    token.is_whole = token.is_whole && is_new;
  }
  for (const std::string_view name : kOfSignature) {
    if (name != "X-Amz-Security-Token" && token.get(name).empty()) token.is_whole = false;
  }
  return token;
}

std::string time_text(WallTime time) { return short_iso_text(time.time_since_epoch()); }

// Whoever tries signatures must not learn from the time it takes how much of one was right.
bool is_same_secret(std::string_view one, std::string_view other) {
  unsigned difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  return difference == 0;
}

std::optional<TokenRefusal> check_action(const Token& token, std::string_view user) {
  const std::string_view action = token.get("Action");
  if (action != "DbConnect" && action != "DbConnectAdmin")
    return TokenRefusal("its action is neither DbConnect nor DbConnectAdmin");
  if ((user == "admin") == (action == "DbConnectAdmin")) return std::nullopt;
  return TokenRefusal(
      "its action is not that of the role",
      fmt::format("Wrong user to action mapping. user: {}, action: {}", user, action));
}

std::optional<TokenRefusal> check_time(const Token& token, Duration tolerance, WallTime now,
                                       WallTime& signed_at, Duration& lifetime) {
  const std::optional<std::chrono::nanoseconds> date = parse_short_iso(token.get("X-Amz-Date"));
  const std::optional<std::int64_t> seconds =
      parse_number<std::int64_t>(token.get("X-Amz-Expires"));
  if (!date || !seconds || *seconds < 1 || *seconds > kLongestLife)
    return TokenRefusal("its date or its life makes no sense");
  signed_at = WallTime(*date);
  lifetime = std::chrono::seconds(*seconds);
  if (signed_at > now + tolerance) {
    return TokenRefusal("it was signed in the future",
                        fmt::format("Signature not yet current: {} is still later than {}",
                                    time_text(signed_at), time_text(now + tolerance)));
  }
  if (signed_at + lifetime > now) return std::nullopt;
  return TokenRefusal("it has expired",
                      fmt::format("Signature expired: {} is now earlier than {}",
                                  time_text(signed_at + lifetime), time_text(now)));
}

// The request that was signed, without what signing added.
HttpRequest signed_request(const Token& token) {
  std::string url = "https://" + token.host + "/";
  char separator = '?';
  for (const auto& [name, value] : token.parameters) {
    if (std::ranges::find(kOfSignature, name) != kOfSignature.end()) continue;
    url += fmt::format("{}{}={}", separator, aws::uri_encoded(name), aws::uri_encoded(value));
    separator = '&';
  }
  return HttpRequest("GET", std::move(url));
}

std::optional<TokenRefusal> check_signature(const Token& token, const TokenRealm& realm,
                                            WallTime signed_at, Duration lifetime) {
  const std::string_view credential = token.get("X-Amz-Credential");
  const std::string_view id = credential.substr(0, credential.find('/'));
  const auto known = std::ranges::find(realm.keys, id, &aws::Credentials::access_key_id);
  if (known == realm.keys.end()) return TokenRefusal("its access key is not known here");
  const std::string scope = fmt::format("{}/{}/{}/dsql/aws4_request", id,
                                        token.get("X-Amz-Date").substr(0, 8), realm.region);
  if (credential != scope)
    return TokenRefusal(fmt::format("it was not signed for dsql in {}", realm.region));
  if (token.get("X-Amz-Security-Token") != known->session_token)
    return TokenRefusal("its session token is not that of the access key");
  const aws::SigningScope signing{.region = realm.region, .service = "dsql"};
  const aws::PresignedUrl again =
      aws::presign(signed_request(token), *known, signing, signed_at, lifetime);
  if (is_same_secret(token.get("X-Amz-Signature"), again.signature.hex)) return std::nullopt;
  return TokenRefusal("its signature is wrong: another secret key, or other parameters");
}

}  // namespace

std::optional<TokenRefusal> check_token(std::string_view text, std::string_view user,
                                        std::string_view host, const TokenRealm& realm,
                                        WallTime now) {
  const Token token = read_token(text);
  if (!token.is_whole || token.get("X-Amz-Algorithm") != kAlgorithm ||
      token.get("X-Amz-SignedHeaders") != "host")
    return TokenRefusal("it is no token");
  if (aws::plain_host(token.host) != aws::plain_host(host))
    return TokenRefusal("it was signed for another host");
  if (auto refusal = check_action(token, user)) return refusal;
  WallTime signed_at{};
  Duration lifetime{};
  if (auto refusal = check_time(token, realm.clock_tolerance, now, signed_at, lifetime))
    return refusal;
  return check_signature(token, realm, signed_at, lifetime);
}

std::string_view signer_of(std::string_view text, const TokenRealm& realm) {
  const Token token = read_token(text);
  const std::string_view credential = token.get("X-Amz-Credential");
  const auto found = realm.arns.find(credential.substr(0, credential.find('/')));
  return found == realm.arns.end() ? std::string_view() : found->second;
}

}  // namespace forebay::standin
