// Whether a request is signed as the service expects it: by somebody it knows, and lately.
#pragma once

#include <optional>

#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/aws/signing/sigv4.hpp"
#include "forebay/env/http.hpp"
#include "forebay/sim/dynamodb/refusal.hpp"

namespace forebay::sim::dynamodb {

// A client's clock may be so far from ours.
inline constexpr Duration kClockTolerance = std::chrono::minutes(5);

// Nothing: it is. The signature is made again, from the headers that it says it is about.
std::optional<Refusal> check_signature(const HttpRequest& request,
                                       const aws::Credentials& credentials,
                                       const aws::SigningScope& scope, WallTime now);

// Whether it is signed at all, as a signature looks; whose it is and whether it is right is not
// asked.
std::optional<Refusal> check_is_signed(const HttpRequest& request);

}  // namespace forebay::sim::dynamodb
