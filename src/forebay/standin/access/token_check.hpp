// TokenCheck: whether a password is a token for this cluster and this role, signed with a key that
// we know, and still good. Pure.
//
// The signature is made again from what the token says and the secret that only we and the client
// know; see aws::sign_dsql_token() for the other side. Tokens of all SDKs are taken: their
// parameters stand in different orders, and some have no slash after the host.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/aws/credentials/credentials.hpp"

namespace forebay::standin {

struct TokenRealm {
  TokenRealm() = default;
  std::string region;
  std::vector<aws::Credentials> keys;  // who may come in
  // Whose they are, by access key id. One that is nobody's may be any role.
  std::map<std::string, std::string, std::less<>> arns;
  Duration clock_tolerance = std::chrono::minutes(5);
};

// Why a token is refused. The hint is what the client may hear; the reason is for our log, and
// names no secret.
struct TokenRefusal {
  explicit TokenRefusal(std::string why, std::string what_to_do = {})
      : reason(std::move(why)), hint(std::move(what_to_do)) {}

  std::string reason;
  std::string hint;  // empty: none
};

// Nothing: it is good. The host is the one that the client asked for by SNI.
std::optional<TokenRefusal> check_token(std::string_view token, std::string_view user,
                                        std::string_view host, const TokenRealm& realm,
                                        WallTime now);

// The ARN of who signed it; empty: the key is nobody's.
std::string_view signer_of(std::string_view token, const TokenRealm& realm);

}  // namespace forebay::standin
