// send_in_tries(): a request that may be repeated, sent until there is an answer that means
// something.
#pragma once

#include "forebay/aws/aws_env.hpp"

namespace forebay::aws {

struct Tries {
  int count = 3;
  Duration timeout = std::chrono::seconds(5);       // of each
  Duration pause = std::chrono::milliseconds(100);  // before the second; it doubles
};

// Again after lost connections, timeouts, 429 and 5xx. Ends with the last answer or error.
Task<Result<HttpResponse>> send_in_tries(AwsEnv env, HttpRequest request, Tries tries,
                                         Instant deadline);

}  // namespace forebay::aws
