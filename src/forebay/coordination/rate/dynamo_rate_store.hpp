// DynamoRateStore: the rate of connects on DynamoDB, for one database endpoint. RateItems says what
// is in the table, RateBucket and RateWindow what is given out.
//
//   dsqlconnect_bucket#<endpoint>        latest_ns, next_free_ns, and the last request's token with
//                                        its reply
//   dsqlconnect#<endpoint>#<unix second> count, updated_at_ms, ttl_epoch
//
// The seconds are those of clients of the older kind: both kinds share them. A process that uses
// the bucket does not see them, so it looks for them now and then, with one read: what it finds is
// counted and told, and in the mode automatic it counts by the second from then on. So do then all
// others of that mode, because they find what this one writes.
//
// A request is mostly one conditional write. The bucket's starts from the state that was last seen;
// if somebody else came first, the item that stood in the way is the state for the next try. What
// the window was seen to have given out already is not asked for again.
//
// Confined to its client's scheduler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/coordination/rate/rate_bucket.hpp"
#include "forebay/coordination/rate/rate_window.hpp"
#include "forebay/coordination/rate/second_watch.hpp"
#include "forebay/env/env.hpp"

namespace forebay {

// What is in the items, and the writes that change them.
class RateItems {
 public:
  RateItems(std::string table, std::string endpoint);

  static RateBucket::State state(const aws::Item& item);
  // The reply to that request, if it was the last.
  static std::optional<TakeReply> reply_to(const RequestToken& token, const aws::Item& item);
  static int count(const aws::Item& item);
  // By the time that the bucket was last told; none: nobody has used it.
  static std::optional<WallTime> used_at(const std::optional<aws::Item>& bucket);
  std::string bucket_key() const { return "dsqlconnect_bucket#" + endpoint_; }
  std::string key(std::int64_t second) const;
  std::vector<std::string> keys(const std::vector<std::int64_t>& seconds) const;

  // Holds if the bucket is as it was seen, and the request is new; none: if there is no bucket yet.
  aws::Write step(const std::optional<RateBucket::State>& seen, const RequestToken& token,
                  const RateBucket::Step& step) const;
  aws::Write add(const RateWindow::Ask& ask, WallTime now) const;

 private:
  const std::string table_;
  const std::string endpoint_;
};

class DynamoRateStore final : public RateStore {
 public:
  DynamoRateStore(Env env, aws::DynamoDb& client, std::string table, std::string endpoint,
                  RateLimits limits);

  Task<Result<TakeReply>> take(TakeRequest request, Instant deadline) override;
  // DynamoDB's own, by the Date of its answers.
  WallTime time(WallTime own, Instant now) const override {
    return client_.clock().agreed(own, now);
  }
  Task<void> learn_time(Instant deadline) override;
  std::uint64_t foreign_seconds() const override { return watch_.found(); }

 private:
  Task<Result<TakeReply>> take_from_bucket(TakeRequest request, Instant deadline);
  Task<Result<TakeReply>> take_from_window(TakeRequest request, Instant deadline);
  Task<bool> pause(int round, Instant deadline);
  Task<void> look_for_seconds(WallTime now, Instant deadline);

  const Env env_;
  aws::DynamoDb& client_;
  const std::string table_;
  const RateItems items_;
  const RateLimits limits_;
  const RateBucket bucket_;
  SecondWatch watch_;
  std::optional<RateBucket::State> seen_;  // none: there seems to be no bucket yet
  std::optional<RateWindow> window_;       // none: the bucket is used
};

}  // namespace forebay
