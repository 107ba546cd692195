// What the client sends for each operation, and what it makes of the answers.
#include "forebay/aws/dynamodb/dynamodb.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aws/dynamodb_world.hpp"

namespace forebay::aws {
namespace {

using test::response;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string header(const HttpRequest& request, const std::string& name) {
  for (const HttpHeader& header : request.headers)
    if (header.name == name) return header.value;
  return {};
}

TEST(DynamoDbTest, ARequestIsSignedAndNamesItsOperation) {
  DynamoDbWorld world;
  world.script({response(200, "{}")});

  const auto item = world.run(world.client.get("leases", "counter", world.in(1s)));

  ASSERT_TRUE(item.has_value()) << item.error().text();
  EXPECT_FALSE(item->has_value());
  ASSERT_EQ(world.http.requests.size(), 1u);
  const HttpRequest& request = world.http.requests.front();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://dynamodb.eu-west-1.amazonaws.com");
  EXPECT_EQ(header(request, "Host"), "dynamodb.eu-west-1.amazonaws.com");
  EXPECT_EQ(header(request, "Content-Type"), "application/x-amz-json-1.0");
  EXPECT_EQ(header(request, "X-Amz-Target"), "DynamoDB_20120810.GetItem");
  EXPECT_EQ(header(request, "X-Amz-Date"), "20150830T123600Z");
  EXPECT_EQ(header(request, "X-Amz-Security-Token"), kWorldSession);
  EXPECT_THAT(header(request, "Authorization"),
              AllOf(HasSubstr("Credential=AKIDEXAMPLE/20150830/eu-west-1/dynamodb/aws4_request"),
                    HasSubstr("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;"
                              "x-amz-target")));
  EXPECT_EQ(request.body,
            R"({"TableName":"leases","Key":{"pk":{"S":"counter"}},"ConsistentRead":true,)"
            R"("ReturnConsumedCapacity":"TOTAL"})");
}

TEST(DynamoDbTest, AnItemIsRead) {
  DynamoDbWorld world;
  world.script({response(200, R"({"ConsumedCapacity":{"CapacityUnits":1.0},"Item":{
      "pk":{"S":"counter"},"active":{"N":"12"},"other":{"BOOL":true}}})")});

  const auto item = world.run(world.client.get("leases", "counter", world.in(1s)));

  ASSERT_TRUE(item.has_value() && item->has_value());
  EXPECT_EQ((*item)->size(), 2u);
  EXPECT_EQ(text_at(**item, "pk"), "counter");
  EXPECT_EQ(integer_at(**item, "active"), 12);
  EXPECT_EQ(world.client.usage().read_units, 1);
  EXPECT_EQ(world.client.usage().write_units, 0);
}

TEST(DynamoDbTest, AnUpdateReturnsTheItemAsItLeftIt) {
  DynamoDbWorld world;
  world.script({response(200, R"({"ConsumedCapacity":{"CapacityUnits":1.0},
      "Attributes":{"pk":{"S":"counter"},"active":{"N":"15"}}})")});

  const auto reply = world.run(world.client.write(counting_write(), world.in(1s)));

  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(reply->is_done);
  EXPECT_EQ(integer_at(*reply->item, "active"), 15);
  EXPECT_EQ(world.client.usage().write_units, 1);
  EXPECT_EQ(world.http.requests.front().body,
            R"({"TableName":"leases","Key":{"pk":{"S":"counter"}},)"
            R"("UpdateExpression":"ADD active :n","ConditionExpression":"active <= :most",)"
            R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD","ExpressionAttributeValues":)"
            R"({":most":{"N":"97"},":n":{"N":"3"}},"ReturnValues":"ALL_NEW",)"
            R"("ReturnConsumedCapacity":"TOTAL"})");
}

TEST(DynamoDbTest, AFailedConditionIsAnAnswerWithTheItem) {
  DynamoDbWorld world;
  world.script({response(400, R"({"__type":"x#ConditionalCheckFailedException",
      "message":"The conditional request failed","Item":{"active":{"N":"98"}}})")});

  const auto reply = world.run(world.client.write(counting_write(), world.in(1s)));

  ASSERT_TRUE(reply.has_value());
  EXPECT_FALSE(reply->is_done);
  EXPECT_EQ(integer_at(*reply->item, "active"), 98);
  EXPECT_EQ(world.client.usage().write_units, 1);
  EXPECT_EQ(world.client.usage().requests, 1u);
}

TEST(DynamoDbTest, PutsAndRemovesNameTheirKeys) {
  DynamoDbWorld world;
  world.script({response(200, "{}")});
  Write put(Write::Kind::put, "leases", "lease#1");
  put.item.emplace("held", AttributeValue::number(4));
  put.condition = "attribute_not_exists(#k)";
  put.names.emplace("#k", "pk");
  const Write remove(Write::Kind::remove, "leases", "lease#1");

  EXPECT_TRUE(world.run(world.client.write(put, world.in(1s)))->is_done);
  EXPECT_TRUE(world.run(world.client.write(remove, world.in(1s)))->is_done);

  EXPECT_EQ(world.http.requests[0].body,
            R"({"TableName":"leases","Item":{"held":{"N":"4"},"pk":{"S":"lease#1"}},)"
            R"_("ConditionExpression":"attribute_not_exists(#k)",)_"
            R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD",)"
            R"("ExpressionAttributeNames":{"#k":"pk"},"ReturnConsumedCapacity":"TOTAL"})");
  EXPECT_EQ(header(world.http.requests[1], "X-Amz-Target"), "DynamoDB_20120810.DeleteItem");
  EXPECT_EQ(world.http.requests[1].body, R"({"TableName":"leases","Key":{"pk":{"S":"lease#1"}},)"
                                         R"("ReturnConsumedCapacity":"TOTAL"})");
}

TEST(DynamoDbTest, ATransactionIsAllItsWritesAndAToken) {
  DynamoDbWorld world;
  world.script({response(200, R"({"ConsumedCapacity":[{"CapacityUnits":4.0,
      "WriteCapacityUnits":4.0}]})")});
  Write put(Write::Kind::put, "leases", "lease#1");
  put.item.emplace("held", AttributeValue::number(4));

  const std::vector<Write> writes{counting_write(), put};
  const auto reply = world.run(world.client.transact(writes, world.in(1s)));

  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(reply->is_done);
  EXPECT_EQ(world.client.usage().write_units, 4);
  const boost::json::object sent = world.sent(0);
  EXPECT_EQ(text_at(sent, "ClientRequestToken").size(), 32u);
  const boost::json::array& items = sent.at("TransactItems").as_array();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_TRUE(items[0].as_object().contains("Update"));
  EXPECT_TRUE(items[1].as_object().contains("Put"));
}

TEST(DynamoDbTest, ACancelledTransactionSaysWhichConditionsHeld) {
  DynamoDbWorld world;
  world.script({response(400, R"({"__type":"x#TransactionCanceledException","CancellationReasons":[
      {"Code":"None"},{"Code":"ConditionalCheckFailed","Item":{"held":{"N":"9"}}},
      {"Code":"ConditionalCheckFailed"}]})")});

  const std::vector<Write> writes(3, counting_write());
  const auto reply = world.run(world.client.transact(writes, world.in(1s)));

  ASSERT_TRUE(reply.has_value());
  EXPECT_FALSE(reply->is_done);
  ASSERT_EQ(reply->writes.size(), 3u);
  EXPECT_TRUE(reply->writes[0].is_done);
  EXPECT_FALSE(reply->writes[1].is_done);
  EXPECT_EQ(integer_at(*reply->writes[1].item, "held"), 9);
  EXPECT_FALSE(reply->writes[2].is_done);
  EXPECT_FALSE(reply->writes[2].item.has_value());
  EXPECT_EQ(world.client.usage().write_units, 6);
}

TEST(DynamoDbTest, AFailedConditionWinsOverConflictsAndThrottling) {
  DynamoDbWorld world;
  world.script(
      {cancellation({"TransactionConflict", "ConditionalCheckFailed", "ThrottlingError"})});

  const std::vector<Write> writes(3, counting_write());
  const auto reply = world.run(world.client.transact(writes, world.in(1s)));

  ASSERT_TRUE(reply.has_value());
  EXPECT_FALSE(reply->is_done);
  EXPECT_TRUE(reply->writes[0].is_done);
  EXPECT_FALSE(reply->writes[1].is_done);
  EXPECT_EQ(world.http.requests.size(), 1u);
}

TEST(DynamoDbTest, AScanReadsAllPages) {
  DynamoDbWorld world;
  world.script({response(200, R"({"Items":[{"pk":{"S":"lease#1"}}],
                    "LastEvaluatedKey":{"pk":{"S":"lease#1"}},
                    "ConsumedCapacity":{"CapacityUnits":128.5}})"),
                response(200, R"({"Items":[{"pk":{"S":"lease#2"}},{"pk":{"S":"lease#3"}}],
                    "ConsumedCapacity":{"CapacityUnits":2}})")});

  const auto items = world.run(world.client.scan("leases", "lease#", world.in(1s)));

  ASSERT_TRUE(items.has_value());
  EXPECT_EQ(items->size(), 3u);
  EXPECT_EQ(world.client.usage().read_units, 130.5);
  EXPECT_FALSE(world.sent(0).contains("ExclusiveStartKey"));
  EXPECT_EQ(boost::json::serialize(world.sent(1).at("ExclusiveStartKey")),
            R"({"pk":{"S":"lease#1"}})");
}

TEST(DynamoDbTest, ABatchAsksAgainForWhatWasLeftUnread) {
  DynamoDbWorld world;
  world.script({response(200, R"({"Responses":{"leases":[{"pk":{"S":"a"}}]},
                    "UnprocessedKeys":{"leases":{"Keys":[{"pk":{"S":"b"}}],
                    "ConsistentRead":true}}})"),
                response(200, R"({"Responses":{"leases":[{"pk":{"S":"b"}}]},
                    "UnprocessedKeys":{}})")});

  const std::vector<std::string> keys{"a", "b", "c"};
  const auto items = world.run(world.client.get_all("leases", keys, world.in(1s)));

  ASSERT_TRUE(items.has_value());
  EXPECT_EQ(items->size(), 2u);
  ASSERT_EQ(world.http.requests.size(), 2u);
  EXPECT_THAT(world.http.requests[1].body, HasSubstr(R"("Keys":[{"pk":{"S":"b"}}])"));
}

TEST(DynamoDbTest, ABatchOfNothingAsksNobody) {
  DynamoDbWorld world;

  const std::vector<std::string> keys;
  const auto items = world.run(world.client.get_all("leases", keys, world.in(1s)));

  EXPECT_TRUE(items.has_value() && items->empty());
  EXPECT_TRUE(world.http.requests.empty());
}

TEST(DynamoDbTest, ABatchThatIsNeverWholeIsThrottled) {
  DynamoDbWorld world;
  world.script({response(200, R"({"Responses":{},"UnprocessedKeys":{"leases":{"Keys":[]}}})")});

  const std::vector<std::string> keys{"a"};
  const auto items = world.run(world.client.get_all("leases", keys, world.in(3s)));

  ASSERT_FALSE(items.has_value());
  EXPECT_EQ(items.error().code(), Errc::limit_reached);
  EXPECT_GT(world.http.requests.size(), 3u);
}

TEST(DynamoDbTest, ATableIsDescribed) {
  DynamoDbWorld world;
  world.script({exception("ResourceNotFoundException"),
                response(200, R"({"Table":{"TableStatus":"CREATING","KeySchema":[{"AttributeName":
                    "pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk",
                    "AttributeType":"S"}],"BillingModeSummary":{"BillingMode":
                    "PAY_PER_REQUEST"}}})"),
                response(200, R"({"Table":{"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":
                    "id","KeyType":"HASH"},{"AttributeName":"at","KeyType":"RANGE"}],
                    "AttributeDefinitions":[{"AttributeName":"at","AttributeType":"N"},
                    {"AttributeName":"id","AttributeType":"S"}]}})")});

  const auto none = world.run(world.client.describe_table("leases", world.in(1s)));
  const auto ours = world.run(world.client.describe_table("leases", world.in(1s)));
  const auto theirs = world.run(world.client.describe_table("leases", world.in(1s)));

  EXPECT_FALSE(none->exists);
  EXPECT_TRUE(ours->exists && ours->has_right_key && !ours->is_active);
  EXPECT_EQ(ours->billing_mode, "PAY_PER_REQUEST");
  EXPECT_TRUE(theirs->is_active && !theirs->has_right_key);
  EXPECT_EQ(theirs->key, "id (S), at (N)");
  EXPECT_EQ(theirs->billing_mode, "PROVISIONED");
}

TEST(DynamoDbTest, CreatingWhatIsThereAlreadyIsFine) {
  DynamoDbWorld world;
  world.script({exception("ResourceInUseException"), response(200, "{}")});

  EXPECT_TRUE(world.run(world.client.create_table("leases", world.in(1s))).has_value());
  EXPECT_TRUE(world.run(world.client.create_table("leases", world.in(1s))).has_value());

  EXPECT_EQ(world.http.requests[0].body,
            R"({"TableName":"leases","AttributeDefinitions":[{"AttributeName":"pk",)"
            R"("AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
            R"("BillingMode":"PAY_PER_REQUEST"})");
}

TEST(DynamoDbTest, TheTimeToLiveIsEnabledOnce) {
  DynamoDbWorld world;
  world.script({response(200, R"({"TimeToLiveDescription":{"TimeToLiveStatus":"DISABLED"}})"),
                response(200, "{}"),
                exception("ValidationException", "TimeToLive is already enabled"),
                response(200, R"({"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLING",
                    "AttributeName":"ttl_epoch"}})"),
                exception("ValidationException", "Attribute name is too long")});

  const auto before = world.run(world.client.describe_ttl("leases", world.in(1s)));
  const auto first = world.run(world.client.enable_ttl("leases", "ttl_epoch", world.in(1s)));
  const auto second = world.run(world.client.enable_ttl("leases", "ttl_epoch", world.in(1s)));
  const auto after = world.run(world.client.describe_ttl("leases", world.in(1s)));
  const auto wrong = world.run(world.client.enable_ttl("leases", "long", world.in(1s)));

  EXPECT_FALSE(before->is_enabled);
  EXPECT_TRUE(first.has_value() && second.has_value());
  EXPECT_TRUE(after->is_enabled);
  EXPECT_EQ(after->attribute, "ttl_epoch");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().text(), HasSubstr("Attribute name is too long"));
}

}  // namespace
}  // namespace forebay::aws
