#include "forebay/doctor/rate_probe.hpp"

#include <utility>

#include "forebay/coordination/rate/dynamo_rate_store.hpp"

namespace forebay::doctor {

Task<Result<RateFacts>> look_at_rate(aws::DynamoDb& client, const ClusterOptions& options,
                                     WallTime now, Instant deadline) {
  const RateItems items(options.rate_table, options.endpoint);
  RateFacts facts;
  facts.mode = options.rate_mode;
  facts.now = now;
  const Result<std::optional<aws::Item>> bucket =
      co_await client.get(options.rate_table, items.bucket_key(), deadline);
  if (!bucket) co_return failure(bucket.error());
  facts.bucket_used_at = RateItems::used_at(*bucket);
  std::vector<std::string> keys = items.keys(seconds_up_to(now, kRateSeconds));
  const Result<std::vector<aws::Item>> found =
      co_await client.get_all(options.rate_table, std::move(keys), deadline);
  if (!found) co_return failure(found.error());
  facts.seconds = static_cast<int>(found->size());
  co_return facts;
}

}  // namespace forebay::doctor
