#include "forebay/aws/signing/dsql_token.hpp"

#include <algorithm>

#include "forebay/aws/signing/sigv4.hpp"
#include "forebay/aws/signing/uri.hpp"

namespace forebay::aws {

Duration dsql_token_lifetime(const DsqlTokenRequest& request, const Credentials& credentials,
                             WallTime now) {
  constexpr Duration kLongest = std::chrono::weeks(1);
  const Duration wanted = std::clamp<Duration>(request.lifetime, std::chrono::seconds(1), kLongest);
  const bool is_cut = credentials.expires_at < now + wanted;
  const Duration possible = is_cut ? credentials.expires_at - now : wanted;
  return std::chrono::floor<std::chrono::seconds>(possible);
}

std::string sign_dsql_token(const DsqlTokenRequest& request, const Credentials& credentials,
                            WallTime now) {
  const std::string scheme = "https://";
  const std::string action = request.user == "admin" ? "DbConnectAdmin" : "DbConnect";
  const HttpRequest connect("GET", scheme + plain_host(request.endpoint) + "/?Action=" + action);
  const SigningScope scope{.region = request.region, .service = "dsql"};
  const Duration lifetime = dsql_token_lifetime(request, credentials, now);
  return presign(connect, credentials, scope, now, lifetime).url.substr(scheme.size());
}

}  // namespace forebay::aws
