// DynamoRateStore: the rate of connects on DynamoDB, for one database endpoint. RateItems says what
// is in the table, RateBucket and RateWindow what is given out.
//
// A request is mostly one conditional write. The bucket's starts from the state that was last seen;
// if somebody else came first, the item that stood in the way is the state for the next try. What
// the window was seen to have given out already is not asked for again.
//
// Confined to its client's scheduler.
#pragma once

#include <optional>
#include <string>

#include "forebay/aws/dynamodb.hpp"
#include "forebay/coordination/rate_items.hpp"
#include "forebay/env/env.hpp"

namespace forebay {

class DynamoRateStore final : public RateStore {
 public:
  DynamoRateStore(Env env, aws::DynamoDb& client, std::string table, std::string endpoint,
                  RateLimits limits);

  Task<Result<TakeReply>> take(TakeRequest request, Instant deadline) override;

 private:
  Task<Result<TakeReply>> take_from_bucket(TakeRequest request, Instant deadline);
  Task<Result<TakeReply>> take_from_window(TakeRequest request, Instant deadline);
  Task<bool> pause(int round, Instant deadline);

  const Env env_;
  aws::DynamoDb& client_;
  const RateItems items_;
  const RateBucket bucket_;
  std::optional<RateBucket::State> seen_;  // none: there seems to be no bucket yet
  std::optional<RateWindow> window_;       // none: the mode is bucket
};

}  // namespace forebay
