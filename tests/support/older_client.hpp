// OlderClient: a client of the older kind, with the expressions that it uses, to the letter. One
// lease per connection, made for three minutes and never renewed; releases ask for nothing but the
// counter; connects are counted by the second.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "forebay/aws/dynamodb/dynamodb.hpp"

namespace forebay::test {

class OlderClient {
 public:
  OlderClient(aws::DynamoDb& client, std::string table, std::string endpoint)
      : client_(client), table_(std::move(table)), endpoint_(std::move(endpoint)) {}

  // False: the limit is reached.
  Task<Result<bool>> acquire(std::string lease_id, int limit, WallTime now, Instant deadline) {
    using aws::AttributeValue;
    aws::Write counter(aws::Write::Kind::update, table_, "dsqllease_counter#" + endpoint_);
    counter.update = "SET active = if_not_exists(active, :zero) + :one, updated_ms = :nowms";
    counter.condition = "attribute_not_exists(active) OR active < :limit";
    counter.values.emplace(":zero", AttributeValue::number(0));
    counter.values.emplace(":one", AttributeValue::number(1));
    counter.values.emplace(":limit", AttributeValue::number(limit));
    counter.values.emplace(":nowms", AttributeValue::number(milliseconds(now)));
    aws::Write lease(aws::Write::Kind::put, table_, "dsqllease#" + endpoint_ + "#" + lease_id);
    lease.item.emplace("ttl_epoch", AttributeValue::number(milliseconds(now) / 1000 + 180));
    lease.item.emplace("service_name", AttributeValue::text("older"));
    lease.item.emplace("created_ms", AttributeValue::number(milliseconds(now)));
    return transact(std::move(counter), std::move(lease), deadline);
  }

  Task<Result<bool>> release(std::string lease_id, WallTime now, Instant deadline) {
    using aws::AttributeValue;
    aws::Write lease(aws::Write::Kind::remove, table_, "dsqllease#" + endpoint_ + "#" + lease_id);
    aws::Write counter(aws::Write::Kind::update, table_, "dsqllease_counter#" + endpoint_);
    counter.update = "SET active = active - :one, updated_ms = :nowms";
    counter.condition = "attribute_exists(active) AND active >= :one";
    counter.values.emplace(":one", AttributeValue::number(1));
    counter.values.emplace(":nowms", AttributeValue::number(milliseconds(now)));
    return transact(std::move(lease), std::move(counter), deadline);
  }

  // Permits for connects in this second. False: not so many are left.
  Task<Result<bool>> take(std::int64_t second, int count, int limit, Instant deadline) {
    using aws::AttributeValue;
    aws::Write write(aws::Write::Kind::update, table_,
                     "dsqlconnect#" + endpoint_ + "#" + std::to_string(second));
    write.update = "SET updated_at_ms = :nowms, ttl_epoch = :ttl ADD #cnt :n";
    write.condition = "attribute_not_exists(#cnt) OR #cnt <= :limitMinusN";
    write.names.emplace("#cnt", "count");
    write.values.emplace(":n", AttributeValue::number(count));
    write.values.emplace(":limitMinusN", AttributeValue::number(limit - count));
    write.values.emplace(":nowms", AttributeValue::number(second * 1000));
    write.values.emplace(":ttl", AttributeValue::number(second + 180));
    const Result<aws::WriteReply> done = co_await client_.write(std::move(write), deadline);
    if (!done) co_return failure(done.error());
    co_return done->is_done;
  }

 private:
  static std::int64_t milliseconds(WallTime time) {
    return std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count();
  }
  Task<Result<bool>> transact(aws::Write first, aws::Write second, Instant deadline) {
    std::vector<aws::Write> writes;
    writes.push_back(std::move(first));
    writes.push_back(std::move(second));
    const Result<aws::TransactionReply> done =
        co_await client_.transact(std::move(writes), deadline);
    if (!done) co_return failure(done.error());
    co_return done->is_done;
  }

  aws::DynamoDb& client_;
  const std::string table_;
  const std::string endpoint_;
};

}  // namespace forebay::test
