#include "forebay/aws/signing/sigv4.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "forebay/aws/signing/uri.hpp"
#include "forebay/base/ascii_text.hpp"
#include "forebay/base/utc_text.hpp"
#include "forebay/hash/digest.hpp"

namespace forebay::aws {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

// Blanks around it go; blanks and line ends inside become one blank.
std::string collapsed(std::string_view value) {
  std::string kept;
  bool is_gap = false;
  for (const char letter : value) {
    const bool is_blank = letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
    if (!is_blank) {
      if (is_gap && !kept.empty()) kept += ' ';
      kept += letter;
    }
    is_gap = is_blank;
  }
  return kept;
}

// In lower case, as those whom it names know themselves.
std::string host_of(const HttpRequest& request) { return lower_case(split_url(request.url).host); }

// By name in lower case; those of one name are joined in their order.
std::map<std::string, std::string> canonical_headers(const HttpRequest& request) {
  std::map<std::string, std::string> headers;
  for (const HttpHeader& header : request.headers) {
    const auto [place, is_new] =
        headers.try_emplace(lower_case(header.name), collapsed(header.value));
    if (!is_new) place->second.append(",").append(collapsed(header.value));
  }
  headers.try_emplace("host", host_of(request));
  headers.erase("authorization");
  return headers;
}

std::string signed_names(const std::map<std::string, std::string>& headers) {
  std::string names;
  for (const auto& [name, value] : headers) names.append(names.empty() ? "" : ";").append(name);
  return names;
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters parameters(std::string_view query) {
  Parameters all;
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
    if (parameter.empty()) continue;
    const auto middle = parameter.find('=');
    const std::string_view value =
        middle == std::string_view::npos ? std::string_view() : parameter.substr(middle + 1);
    all.emplace_back(uri_decoded(parameter.substr(0, middle)), uri_decoded(value));
  }
  return all;
}

std::string query_text(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    text.append(text.empty() ? "" : "&");
    text.append(uri_encoded(name)).append("=").append(uri_encoded(value));
  }
  return text;
}

// Sorted as encoded, which is another order than that of the bytes.
std::string canonical_query(Parameters parameters) {
  std::ranges::sort(parameters, {}, [](const auto& parameter) {
    return std::pair(uri_encoded(parameter.first), uri_encoded(parameter.second));
  });
  return query_text(parameters);
}

// What a signature is about, besides the request: "20150830/us-east-1/dynamodb/aws4_request".
std::string scope_text(const SigningScope& scope, const std::string& time) {
  return fmt::format("{}/{}/{}/aws4_request", time.substr(0, 8), scope.region, scope.service);
}

std::string canonical_request(const HttpRequest& request, const SigningScope& scope,
                              const std::string& query,
                              const std::map<std::string, std::string>& headers) {
  const std::string_view path = split_url(request.url).path;
  std::string text = request.method + '\n';
  text += uri_encoded(scope.is_path_normalized ? normalized_path(path) : std::string(path),
                      Slashes::kept);
  text.append("\n").append(query).append("\n");
  for (const auto& [name, value] : headers) text.append(name + ':').append(value).append("\n");
  text.append("\n").append(signed_names(headers)).append("\n");
  return text.append(hex(sha256(request.body)));
}

Signature signature_of(std::string canonical, const Credentials& credentials,
                       const SigningScope& scope, const std::string& time) {
  Signature signature;
  signature.string_to_sign = fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time,
                                         scope_text(scope, time), hex(sha256(canonical)));
  signature.canonical_request = std::move(canonical);
  Digest key = hmac_sha256("AWS4" + credentials.secret_access_key, time.substr(0, 8));
  key = hmac_sha256(digest_bytes(key), scope.region);
  key = hmac_sha256(digest_bytes(key), scope.service);
  key = hmac_sha256(digest_bytes(key), "aws4_request");
  signature.hex = hex(hmac_sha256(digest_bytes(key), signature.string_to_sign));
  return signature;
}

void set_header(HttpRequest& request, const std::string& name, std::string value) {
  std::erase_if(request.headers, [lower = lower_case(name)](const HttpHeader& header) {
    return lower_case(header.name) == lower;
  });
  request.headers.emplace_back(name, std::move(value));
}

bool has_header(const HttpRequest& request, std::string_view lower) {
  return std::ranges::any_of(request.headers, [lower](const HttpHeader& header) {
    return lower_case(header.name) == lower;
  });
}

}  // namespace

Signature sign_headers(HttpRequest& request, const Credentials& credentials,
                       const SigningScope& scope, WallTime now) {
  const std::string time = short_iso_text(now.time_since_epoch());
  if (!has_header(request, "host")) request.headers.emplace_back("Host", host_of(request));
  if (!credentials.session_token.empty())
    set_header(request, "X-Amz-Security-Token", credentials.session_token);
  set_header(request, "X-Amz-Date", time);
  if (scope.has_body_header) set_header(request, "x-amz-content-sha256", hex(sha256(request.body)));

  std::map<std::string, std::string> headers = canonical_headers(request);
  if (!scope.is_session_token_signed) headers.erase("x-amz-security-token");
  const std::string query = canonical_query(parameters(split_url(request.url).query));
  Signature signature =
      signature_of(canonical_request(request, scope, query, headers), credentials, scope, time);
  set_header(request, "Authorization",
             fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                         credentials.access_key_id, scope_text(scope, time), signed_names(headers),
                         signature.hex));
  return signature;
}

PresignedUrl presign(const HttpRequest& request, const Credentials& credentials,
                     const SigningScope& scope, WallTime now, Duration lifetime) {
  const std::string time = short_iso_text(now.time_since_epoch());
  const std::map<std::string, std::string> headers = canonical_headers(request);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lifetime).count();
  Parameters added{{"X-Amz-Algorithm", std::string(kAlgorithm)},
                   {"X-Amz-Credential", credentials.access_key_id + '/' + scope_text(scope, time)},
                   {"X-Amz-Date", time},
                   {"X-Amz-SignedHeaders", signed_names(headers)},
                   {"X-Amz-Expires", std::to_string(seconds)}};
  const std::pair<std::string, std::string> session("X-Amz-Security-Token",
                                                    credentials.session_token);
  const bool has_session = !credentials.session_token.empty();
  if (has_session && scope.is_session_token_signed) added.push_back(session);

  const std::string_view query = split_url(request.url).query;
  Parameters all = parameters(query);
  all.insert(all.end(), added.begin(), added.end());
  PresignedUrl presigned;
  presigned.signature = signature_of(
      canonical_request(request, scope, canonical_query(all), headers), credentials, scope, time);
  if (has_session && !scope.is_session_token_signed) added.push_back(session);
  added.emplace_back("X-Amz-Signature", presigned.signature.hex);
  presigned.url = request.url + (query.empty() ? '?' : '&') + query_text(added);
  return presigned;
}

}  // namespace forebay::aws
