// Looks at what is counted in the table of the rate. Nothing is changed there.
#pragma once

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/coordination/cluster_options.hpp"
#include "forebay/doctor/rate_check.hpp"

namespace forebay::doctor {

inline constexpr int kRateSeconds = 100;  // how far back: as many as one request can ask for

// Confined to the client's scheduler. The deadline is for each of two requests.
Task<Result<RateFacts>> look_at_rate(aws::DynamoDb& client, const ClusterOptions& options,
                                     WallTime now, Instant deadline);

}  // namespace forebay::doctor
