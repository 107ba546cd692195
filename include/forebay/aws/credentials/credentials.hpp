// Credentials: the keys that requests to AWS are signed with.
#pragma once

#include <string>
#include <utility>

#include "forebay/env/time.hpp"

namespace forebay::aws {

class Credentials {
 public:
  Credentials(std::string id, std::string secret, std::string session = {})
      : access_key_id(std::move(id)),
        secret_access_key(std::move(secret)),
        session_token(std::move(session)) {}

  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;              // empty: long-term credentials
  WallTime expires_at = WallTime::max();  // never, unless told
  std::string source;                     // where they were found, for people; no secret
};

}  // namespace forebay::aws
