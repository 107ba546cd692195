// Sts: the Security Token Service, which gives credentials of a role for a while.
//
// Errors: refused (the role may not be taken, with what AWS says about it), connect_failed (try
// again later). No text holds a token or a key. Confined to its scheduler.
#pragma once

#include <string>
#include <utility>

#include "forebay/aws/aws_env.hpp"
#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/aws/credentials/profiles.hpp"

namespace forebay::aws {

// Has a constructor because coroutines take it by value.
class RoleRequest {
 public:
  explicit RoleRequest(std::string arn) : role_arn(std::move(arn)) {}

  std::string role_arn;
  std::string session_name;  // empty: one is made up
  std::string external_id;
  std::string duration_seconds;  // empty: an hour, as AWS decides
};

class Sts {
 public:
  // Region and endpoint are those of the selected profile.
  Sts(AwsEnv env, const Profiles& profiles);

  Task<Result<Credentials>> assume_role(RoleRequest request, Credentials signer, Instant deadline);
  Task<Result<Credentials>> assume_role_with_web_identity(RoleRequest request, std::string token,
                                                          Instant deadline);

 private:
  // Leaves out parameters without a value.
  static void add_parameter(HttpRequest& request, std::string_view name, std::string_view value);
  // REQUIRES: there is a url_.
  HttpRequest form(std::string_view action, const RoleRequest& role) const;
  // `secret` was sent: what repeats it is not told to anybody.
  Task<Result<Credentials>> ask(HttpRequest request, RoleRequest role, std::string secret,
                                Instant deadline);
  Result<Credentials> read(const HttpResponse& response, const RoleRequest& role,
                           const std::string& secret) const;

  const AwsEnv env_;
  std::string region_;
  Result<std::string> url_;
};

}  // namespace forebay::aws
