// RateItems: the rate of connects as items of a DynamoDB table, and the writes that change them.
//
//   dsqlconnect_bucket#<endpoint>        latest_ns, next_free_ns, and the last request's token with
//                                        its reply
//   dsqlconnect#<endpoint>#<unix second> count, updated_at_ms, ttl_epoch
//
// The seconds are those of clients of the older kind: both kinds share them.
#pragma once

#include <optional>
#include <string>

#include "forebay/aws/dynamodb.hpp"
#include "forebay/coordination/rate_bucket.hpp"
#include "forebay/coordination/rate_window.hpp"

namespace forebay {

class RateItems {
 public:
  RateItems(std::string table, std::string endpoint);

  static RateBucket::State state(const aws::Item& item);
  // The reply to that request, if it was the last.
  static std::optional<TakeReply> reply_to(const RequestToken& token, const aws::Item& item);
  static int count(const aws::Item& item);

  // Holds if the bucket is as it was seen, and the request is new; none: if there is no bucket yet.
  aws::Write step(const std::optional<RateBucket::State>& seen, const RequestToken& token,
                  const RateBucket::Step& step) const;
  aws::Write add(const RateWindow::Ask& ask, WallTime now) const;

 private:
  const std::string table_;
  const std::string endpoint_;
};

}  // namespace forebay
