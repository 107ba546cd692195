// AWS Signature Version 4, pure: a request, credentials and a time give a signature.
#pragma once

#include <string>

#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/env/http.hpp"

namespace forebay::aws {

struct SigningScope {
  std::string region;
  std::string service;  // "dynamodb", "dsql", "sts"
  // Whether "." and ".." and doubled slashes in the path are resolved; only S3 says no.
  bool is_path_normalized = true;
  // Whether the body's hash is also sent, as a header; only S3 wants it.
  bool has_body_header = false;
  // Whether the session token is signed or added afterwards; a few services want the latter.
  bool is_session_token_signed = true;
};

// A signature and the steps to it, which tell why a service refused it. The canonical request may
// contain the session token: it is not for logs.
struct Signature {
  std::string canonical_request;
  std::string string_to_sign;
  std::string hex;
};

// Adds Host, X-Amz-Date, X-Amz-Security-Token and Authorization, in place of those that are there.
// All headers are signed.
Signature sign_headers(HttpRequest& request, const Credentials& credentials,
                       const SigningScope& scope, WallTime now);

struct PresignedUrl {
  std::string url;
  Signature signature;
};

// The request's URL with the signature in its query, valid for whole seconds. Its body must be
// empty or whole already, for it is signed too.
PresignedUrl presign(const HttpRequest& request, const Credentials& credentials,
                     const SigningScope& scope, WallTime now, Duration lifetime);

}  // namespace forebay::aws
