// DynamoDbTrouble: why a request to DynamoDB was not answered as hoped: what may be done about it,
// and the sentence for people. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include "forebay/aws/credentials/credentials.hpp"
#include "forebay/aws/dynamodb/dynamodb_call.hpp"
#include "forebay/env/http.hpp"

namespace forebay::aws {

class DynamoDbTrouble {
 public:
  enum class Kind : std::uint8_t {
    unreachable,  // nothing was sent
    throttled,    // nothing was done
    conflict,     // nothing was done: somebody else writes there
    unavailable,  // nothing was done: DynamoDB cannot now
    in_progress,  // an earlier try of the same transaction is still being worked on
    unknown,      // nobody knows whether it was done
    stale_keys,   // nothing was done; fresh credentials may help
    final,        // trying again is no use
  };

  DynamoDbTrouble(Kind what, Error why) : kind(what), error(std::move(why)) {}

  Kind kind;
  Error error;
};

// Where requests go, for sentences.
struct DynamoDbPlace {
  std::string region;
  std::string host;
  bool is_endpoint_given = false;  // it may be another host than the region's
};

// What a response means for this call. `now` is our wall time.
std::expected<DynamoDbAnswer, DynamoDbTrouble> judged(const DynamoDbCall& call,
                                                      const DynamoDbPlace& place,
                                                      const Result<HttpResponse>& response,
                                                      WallTime now);

}  // namespace forebay::aws
