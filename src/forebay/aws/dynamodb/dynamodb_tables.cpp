// What DynamoDb asks about whole tables, for setting them up.
#include "forebay/aws/dynamodb/dynamodb.hpp"
#include "forebay/aws/dynamodb/dynamodb_channel.hpp"
#include "forebay/aws/dynamodb/dynamodb_json.hpp"
#include "forebay/aws/dynamodb/dynamodb_requests.hpp"

namespace forebay::aws {
namespace {

// "pk (S)", or all parts: "name (S), time (N)".
std::string key_text(const boost::json::object& table) {
  const boost::json::array* const parts = array_at(table, "KeySchema");
  const boost::json::array* const attributes = array_at(table, "AttributeDefinitions");
  std::string text;
  if (parts == nullptr || attributes == nullptr) return text;
  for (const boost::json::value& part : *parts) {
    if (!part.is_object()) continue;
    const std::string name = text_at(part.get_object(), "AttributeName");
    text += (text.empty() ? "" : ", ") + name;
    for (const boost::json::value& attribute : *attributes) {
      if (attribute.is_object() && text_at(attribute.get_object(), "AttributeName") == name)
        text += " (" + text_at(attribute.get_object(), "AttributeType") + ")";
    }
  }
  return text;
}

}  // namespace

Task<Result<TableState>> DynamoDb::describe_table(std::string table, Instant deadline) {
  Result<DynamoDbAnswer> answer = co_await channel_->call(describe_table_call(table), deadline);
  if (!answer) co_return failure(answer.error());
  TableState state;
  const boost::json::object* const described = object_at(answer->body, "Table");
  if (!answer->exception.empty() || described == nullptr) co_return state;
  state.exists = true;
  const std::string status = text_at(*described, "TableStatus");
  state.is_active = status == "ACTIVE" || status == "UPDATING";
  state.key = key_text(*described);
  state.has_right_key = state.key == std::string(kKeyName) + " (S)";
  const boost::json::object* const billing = object_at(*described, "BillingModeSummary");
  state.billing_mode = billing != nullptr ? text_at(*billing, "BillingMode") : "PROVISIONED";
  co_return state;
}

Task<Result<void>> DynamoDb::create_table(std::string table, Instant deadline) {
  Result<DynamoDbAnswer> answer = co_await channel_->call(create_table_call(table), deadline);
  if (!answer) co_return failure(answer.error());
  co_return Result<void>();
}

Task<Result<TtlState>> DynamoDb::describe_ttl(std::string table, Instant deadline) {
  Result<DynamoDbAnswer> answer = co_await channel_->call(describe_ttl_call(table), deadline);
  if (!answer) co_return failure(answer.error());
  TtlState state;
  if (const auto* const described = object_at(answer->body, "TimeToLiveDescription")) {
    const std::string status = text_at(*described, "TimeToLiveStatus");
    state.is_enabled = status == "ENABLED" || status == "ENABLING";
    state.attribute = text_at(*described, "AttributeName");
  }
  co_return state;
}

Task<Result<void>> DynamoDb::enable_ttl(std::string table, std::string attribute,
                                        Instant deadline) {
  Result<DynamoDbAnswer> answer =
      co_await channel_->call(enable_ttl_call(table, attribute), deadline);
  if (!answer) co_return failure(answer.error());
  const std::string problem = message_of(answer->body);
  if (!answer->exception.empty() && problem.find("already enabled") == std::string::npos) {
    co_return failure(Errc::invalid, "DynamoDB does not enable the time to live of table \"" +
                                         table + "\": " + problem);
  }
  co_return Result<void>();
}

}  // namespace forebay::aws
