#include "forebay/aws/dynamodb/dynamodb.hpp"

#include "forebay/aws/dynamodb/dynamodb_channel.hpp"
#include "forebay/aws/dynamodb/dynamodb_json.hpp"
#include "forebay/aws/dynamodb/dynamodb_requests.hpp"
#include "forebay/aws/dynamodb/dynamodb_sentences.hpp"

namespace forebay::aws {
namespace {

void append_items(std::vector<Item>& items, const boost::json::array* page) {
  if (page == nullptr) return;
  for (const boost::json::value& item : *page)
    if (item.is_object()) items.push_back(item_from(item.get_object()));
}

// What a cancelled transaction says of each write, in order.
TransactionReply cancelled(const boost::json::object& body, std::size_t writes) {
  TransactionReply reply;
  reply.writes.resize(writes);
  const boost::json::array* const reasons = array_at(body, "CancellationReasons");
  for (std::size_t i = 0; i < writes; ++i) {
    const boost::json::object* const reason =
        reasons != nullptr && i < reasons->size() ? (*reasons)[i].if_object() : nullptr;
    WriteReply& write = reply.writes[i];
    write.is_done = reason == nullptr || text_at(*reason, "Code") != "ConditionalCheckFailed";
    if (reason != nullptr && !write.is_done) write.item = item_at(*reason, "Item");
  }
  return reply;
}

}  // namespace

DynamoDb::DynamoDb(Env env, HttpTransport& http, CredentialsProvider& credentials,
                   DynamoDbOptions options)
    : channel_(std::make_unique<DynamoDbChannel>(env, http, credentials, std::move(options))) {}

DynamoDb::~DynamoDb() = default;

const DynamoDbUsage& DynamoDb::usage() const { return channel_->usage(); }
const ServerClock& DynamoDb::clock() const { return channel_->clock(); }

Task<Result<std::optional<Item>>> DynamoDb::get(std::string table, std::string key,
                                                Instant deadline) {
  Result<DynamoDbAnswer> answer = co_await channel_->call(get_call(table, key), deadline);
  if (!answer) co_return failure(answer.error());
  co_return item_at(answer->body, "Item");
}

Task<Result<std::vector<Item>>> DynamoDb::get_all(std::string table, std::vector<std::string> keys,
                                                  Instant deadline) {
  std::vector<Item> items;
  if (keys.empty()) co_return items;
  DynamoDbCall call = get_all_call(table, keys);
  for (int round = 1;; ++round) {
    Result<DynamoDbAnswer> answer = co_await channel_->call(call, deadline);
    if (!answer) co_return failure(answer.error());
    if (const auto* const found = object_at(answer->body, "Responses"))
      append_items(items, array_at(*found, table));
    const boost::json::object* const rest = object_at(answer->body, "UnprocessedKeys");
    if (rest == nullptr || rest->empty()) co_return items;
    call = rest_call(table, *rest);
    const bool is_time_left = co_await channel_->pause(round, deadline);
    if (!is_time_left) {
      co_return failure(Errc::limit_reached, "DynamoDB left items unread until the deadline: " +
                                                 what_was_asked(call, channel_->place()) +
                                                 " was throttled");
    }
  }
}

Task<Result<std::vector<Item>>> DynamoDb::scan(std::string table, std::string key_prefix,
                                               Instant deadline) {
  std::vector<Item> items;
  DynamoDbCall call = scan_call(table, key_prefix, nullptr);
  for (;;) {
    Result<DynamoDbAnswer> answer = co_await channel_->call(call, deadline);
    if (!answer) co_return failure(answer.error());
    append_items(items, array_at(answer->body, "Items"));
    const boost::json::object* const last = object_at(answer->body, "LastEvaluatedKey");
    if (last == nullptr || last->empty()) co_return items;
    call = scan_call(table, key_prefix, last);
  }
}

Task<Result<WriteReply>> DynamoDb::write(Write write, Instant deadline) {
  Result<DynamoDbAnswer> answer = co_await channel_->call(write_call(write), deadline);
  if (!answer) co_return failure(answer.error());
  WriteReply reply;
  reply.is_done = answer->exception.empty();
  reply.item = item_at(answer->body, reply.is_done ? "Attributes" : "Item");
  co_return reply;
}

Task<Result<TransactionReply>> DynamoDb::transact(std::vector<Write> writes, Instant deadline) {
  const std::string token = channel_->fresh_token();
  Result<DynamoDbAnswer> answer = co_await channel_->call(transact_call(writes, token), deadline);
  if (!answer) co_return failure(answer.error());
  if (!answer->exception.empty()) co_return cancelled(answer->body, writes.size());
  TransactionReply reply;
  reply.is_done = true;
  co_return reply;
}

}  // namespace forebay::aws
