// DsqlTokens: tokens for one user of one Aurora DSQL cluster, made when needed and used for as long
// as they are good. Confined to its scheduler.
//
// A token is replaced when less than a third of its life, or 5 minutes, are left. Meanwhile, and if
// that fails, the old one is handed out until it runs out. However many ask at once, credentials
// are asked for once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forebay/aws/credentials/credentials_provider.hpp"
#include "forebay/aws/signing/dsql_token.hpp"
#include "forebay/aws/usage.hpp"
#include "forebay/env/condition.hpp"
#include "forebay/env/env.hpp"
#include "forebay/pool/token_source.hpp"

namespace forebay::aws {

class DsqlTokens final : public TokenSource {
 public:
  DsqlTokens(Env env, CredentialsProvider& credentials, DsqlTokenRequest request);

  Task<Result<std::string>> token(Instant deadline) override;
  void reject(const std::string& token) override;
  const DsqlTokensUsage& usage() const { return usage_; }

 private:
  struct Token {
    std::string text;
    std::string access_key_id;  // of the credentials that signed it
    WallTime signed_at;
    WallTime expires_at;
  };

  bool is_usable() const;  // it has not run out
  bool is_fresh() const;   // nor will it soon
  Task<Result<std::string>> renew(Instant deadline);
  Result<std::string> sign(const Credentials& credentials);
  Error explained(const Error& error) const;

  const Env env_;
  CredentialsProvider& credentials_;
  const DsqlTokenRequest request_;

  DsqlTokensUsage usage_;
  std::optional<Token> token_;
  std::string rejected_;  // the last one
  bool is_renewing_ = false;
  std::optional<Error> last_failure_;  // of the last renewal, if it failed
  Condition renewed_;
};

}  // namespace forebay::aws
