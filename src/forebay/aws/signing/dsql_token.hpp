// The token by which Aurora DSQL knows who connects, pure: a signed request that is never sent, but
// given as the password.
#pragma once

#include <chrono>
#include <string>

#include "forebay/aws/credentials/credentials.hpp"

namespace forebay::aws {

struct DsqlTokenRequest {
  std::string endpoint;  // the cluster's host name, in any case, with or without a port
  std::string region;
  std::string user;  // "admin" needs a token of another kind than all others
  Duration lifetime = std::chrono::minutes(15);
};

// For how long a token made now is good: what is asked for, at most a week, which is DSQL's limit,
// and never longer than the credentials. In whole seconds.
Duration dsql_token_lifetime(const DsqlTokenRequest& request, const Credentials& credentials,
                             WallTime now);

// REQUIRES: the credentials have not run out.
std::string sign_dsql_token(const DsqlTokenRequest& request, const Credentials& credentials,
                            WallTime now);

}  // namespace forebay::aws
