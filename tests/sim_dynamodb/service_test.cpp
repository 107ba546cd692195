// The simulated DynamoDB as HTTP sees it: signatures, errors, single items, pages, tables.
#include "forebay/sim/dynamodb/service.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "forebay/aws/dynamodb/crc32.hpp"
#include "support/dynamodb_requests.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kPutA = R"({"TableName":"leases","Item":{"pk":{"S":"a"},"n":{"N":"007"}}})";
constexpr const char* kGetA =
    R"({"TableName":"leases","Key":{"pk":{"S":"a"}},"ConsistentRead":true})";

TEST(DynamoServiceTest, WhatWasPutCanBeRead) {
  DynamoWorld world;
  EXPECT_EQ(world.ask("GetItem", kGetA).body.size(), 0u);
  EXPECT_EQ(world.ask("PutItem", kPutA).status, 200);
  EXPECT_EQ(world.ask("GetItem", kGetA).text("Item"), R"({"n":{"N":"7"},"pk":{"S":"a"}})");
}

TEST(DynamoServiceTest, AnswersCarryTheirCheckSumAndTheTime) {
  DynamoWorld world;
  const HttpResponse response =
      world.service.answer(signed_request("GetItem", kGetA, world.now), world.now);
  EXPECT_EQ(response.header("x-amz-crc32"), std::to_string(aws::crc32(response.body)));
  EXPECT_EQ(response.header("Date"), "Thu, 01 Jan 2026 00:00:00 GMT");
  EXPECT_EQ(response.header("Content-Type"), "application/x-amz-json-1.0");
}

class SignatureTest : public testing::Test {
 protected:
  std::string error_of(const HttpRequest& request) {
    return DynamoAnswer(world_.service.answer(request, world_.now)).error();
  }
  HttpRequest request_at(WallTime time) { return signed_request("PutItem", kPutA, time); }
  DynamoWorld world_;
};

TEST_F(SignatureTest, WithoutOneNothingIsDone) {
  EXPECT_EQ(error_of(unsigned_request("PutItem", kPutA)), "MissingAuthenticationTokenException");
  EXPECT_EQ(world_.tables.find("leases", "a"), nullptr);
}

TEST_F(SignatureTest, WhatWasChangedOnTheWayIsRefused) {
  HttpRequest other_body = request_at(world_.now);
  other_body.body += " ";
  EXPECT_EQ(error_of(other_body), "InvalidSignatureException");
  HttpRequest other_target = request_at(world_.now);
  other_target.headers[1].value = "DynamoDB_20120810.DeleteItem";
  EXPECT_EQ(error_of(other_target), "InvalidSignatureException");
  EXPECT_EQ(world_.tables.find("leases", "a"), nullptr);

  // A header that is not signed may be added by anybody.
  HttpRequest more = request_at(world_.now);
  more.headers.emplace_back("User-Agent", "somebody");
  EXPECT_EQ(error_of(more), "");
}

TEST_F(SignatureTest, OtherKeysAreRefused) {
  const aws::Credentials good = test_credentials();
  const aws::Credentials wrong_secret(good.access_key_id, "another", good.session_token);
  const aws::Credentials wrong_id("SOMEBODY", good.secret_access_key, good.session_token);
  const aws::Credentials wrong_session(good.access_key_id, good.secret_access_key, "another");
  EXPECT_EQ(error_of(signed_request("PutItem", kPutA, world_.now, wrong_secret)),
            "InvalidSignatureException");
  EXPECT_EQ(error_of(signed_request("PutItem", kPutA, world_.now, wrong_id)),
            "UnrecognizedClientException");
  EXPECT_EQ(error_of(signed_request("PutItem", kPutA, world_.now, wrong_session)),
            "UnrecognizedClientException");
}

TEST_F(SignatureTest, AClockThatIsFarOffIsTold) {
  EXPECT_EQ(error_of(request_at(world_.now - 5min)), "");
  EXPECT_EQ(error_of(request_at(world_.now + 5min)), "");
  const DynamoAnswer late(world_.service.answer(request_at(world_.now - 5min - 1s), world_.now));
  EXPECT_EQ(late.error(), "InvalidSignatureException");
  EXPECT_EQ(late.message(),
            "Signature expired: 20251231T235459Z is now earlier than 20251231T235500Z "
            "(20260101T000000Z - 5 min.)");
  const DynamoAnswer early(world_.service.answer(request_at(world_.now + 5min + 1s), world_.now));
  EXPECT_TRUE(early.message().starts_with("Signature not yet current: 20260101T000501Z"));
}

TEST(DynamoServiceTest, WhatIsNoRequestIsRefused) {
  DynamoWorld world;
  EXPECT_EQ(world.ask("DropEverything", "{}").error(), "UnknownOperationException");
  EXPECT_EQ(world.ask("GetItem", "{").error(), "SerializationException");
  EXPECT_EQ(world.ask("GetItem", "[]").error(), "SerializationException");
  EXPECT_EQ(world.ask("GetItem", R"({"TableName":5,"Key":{"pk":{"S":"a"}}})").error(),
            "SerializationException");
  EXPECT_EQ(world.ask("GetItem", R"({"TableName":"nobody","Key":{"pk":{"S":"a"}}})").error(),
            "ResourceNotFoundException");
  for (const char* body : {R"({"Key":{"pk":{"S":"a"}}})", R"({"TableName":"leases"})",
                           R"({"TableName":"leases","Key":{"x":{"S":"a"}}})",
                           R"({"TableName":"leases","Key":{"pk":{"N":"1"}}})",
                           R"({"TableName":"leases","Key":{"pk":{"S":""}}})",
                           R"({"TableName":"leases","Key":{"pk":{"S":"a"},"x":{"S":"a"}}})",
                           R"({"TableName":"leases","Key":{"pk":{"BOOL":true}}})",
                           R"({"TableName":"leases","Key":{"pk":{"S":"a"}},"Surprise":1})"}) {
    EXPECT_EQ(world.ask("GetItem", body).error(), "ValidationException") << body;
  }
}

TEST(DynamoServiceTest, AnUpdateTellsWhatItLeft) {
  DynamoWorld world;
  world.ask("PutItem", kPutA);
  const std::string update =
      R"({"TableName":"leases","Key":{"pk":{"S":"a"}},"UpdateExpression":"ADD n :v SET m = :v",)"
      R"("ExpressionAttributeValues":{":v":{"N":"1"}},"ReturnValues":")";
  EXPECT_EQ(world.ask("UpdateItem", update + R"(ALL_NEW"})").text("Attributes"),
            R"({"m":{"N":"1"},"n":{"N":"8"},"pk":{"S":"a"}})");
  EXPECT_EQ(world.ask("UpdateItem", update + R"(UPDATED_OLD"})").text("Attributes"),
            R"({"m":{"N":"1"},"n":{"N":"8"}})");
  EXPECT_EQ(world.ask("UpdateItem", update + R"(NONE"})").text("Attributes"), "");
  EXPECT_EQ(world.ask("UpdateItem", update + R"(SOME"})").error(), "ValidationException");
}

TEST(DynamoServiceTest, AFailedConditionShowsTheItemIfAsked) {
  DynamoWorld world;
  world.ask("PutItem", kPutA);
  const std::string body =
      R"({"TableName":"leases","Key":{"pk":{"S":"a"}},"ConditionExpression":"n < :v",)"
      R"("ExpressionAttributeValues":{":v":{"N":"1"}})";
  const DynamoAnswer quiet = world.ask("DeleteItem", body + "}");
  EXPECT_EQ(quiet.error(), "ConditionalCheckFailedException");
  EXPECT_EQ(quiet.text("Item"), "");
  const DynamoAnswer told =
      world.ask("DeleteItem", body + R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD"})");
  EXPECT_EQ(told.text("Item"), R"({"n":{"N":"7"},"pk":{"S":"a"}})");
}

TEST(DynamoServiceTest, AScanComesInPages) {
  DynamoWorld world;
  world.tables.set_page_limit(3);
  for (int i = 0; i < 10; ++i) {
    const std::string key = (i % 2 == 0 ? "even#" : "odd#") + std::to_string(i);
    world.ask("PutItem", R"({"TableName":"leases","Item":{"pk":{"S":")" + key + R"("}}})");
  }

  std::set<std::string> found;
  int pages = 0;
  std::string start;
  do {
    const DynamoAnswer page = world.ask(
        "Scan", R"json({"TableName":"leases","FilterExpression":"begins_with(pk, :p)",)json"
                R"("ExpressionAttributeValues":{":p":{"S":"odd#"}},"ConsistentRead":true)" +
                    start + "}");
    ++pages;
    EXPECT_LE(page.body.at("ScannedCount").to_number<int>(), 3);
    for (const auto& item : page.body.at("Items").as_array())
      EXPECT_TRUE(found.insert(aws::text_at(item.at("pk").as_object(), "S")).second);
    const std::string last = page.text("LastEvaluatedKey");
    start = last.empty() ? "" : R"(,"ExclusiveStartKey":)" + last;
  } while (!start.empty());

  EXPECT_EQ(pages, 4);
  EXPECT_EQ(found, std::set<std::string>({"odd#1", "odd#3", "odd#5", "odd#7", "odd#9"}));
}

TEST(DynamoServiceTest, ABatchBringsWhatExists) {
  DynamoWorld world;
  world.ask("PutItem", kPutA);
  const DynamoAnswer batch =
      world.ask("BatchGetItem", R"({"RequestItems":{"leases":{"ConsistentRead":true,"Keys":)"
                                R"([{"pk":{"S":"b"}},{"pk":{"S":"a"}}]}}})");
  EXPECT_EQ(batch.text("Responses"), R"({"leases":[{"n":{"N":"7"},"pk":{"S":"a"}}]})");
  EXPECT_EQ(batch.text("UnprocessedKeys"), "{}");
  EXPECT_EQ(world
                .ask("BatchGetItem", R"({"RequestItems":{"leases":{"Keys":)"
                                     R"([{"pk":{"S":"a"}},{"pk":{"S":"a"}}]}}})")
                .error(),
            "ValidationException");
}

TEST(DynamoServiceTest, ATableIsNotThereAtOnce) {
  DynamoWorld world;
  world.tables.set_creation_time(10s);
  EXPECT_EQ(world.create_table("rates").status, 200);
  EXPECT_EQ(world.create_table("rates").error(), "ResourceInUseException");
  EXPECT_EQ(world.create_table("ab").error(), "ValidationException");
  const std::string describe = R"({"TableName":"rates"})";
  const std::string get = R"({"TableName":"rates","Key":{"pk":{"S":"a"}}})";
  EXPECT_NE(world.ask("DescribeTable", describe).text("Table").find(R"("CREATING")"),
            std::string::npos);
  EXPECT_EQ(world.ask("GetItem", get).error(), "ResourceNotFoundException");

  world.now += 10s;
  EXPECT_NE(world.ask("DescribeTable", describe).text("Table").find(R"("ACTIVE")"),
            std::string::npos);
  EXPECT_EQ(world.ask("GetItem", get).status, 200);
  EXPECT_EQ(world.ask("DescribeTable", R"({"TableName":"nobody"})").error(),
            "ResourceNotFoundException");
}

TEST(DynamoServiceTest, ItemsWhoseTimeIsOverGoWhenTimeToLiveGetsToThem) {
  DynamoWorld world;
  const auto put = [&world](const std::string& key, std::int64_t end) {
    world.ask("PutItem", R"({"TableName":"leases","Item":{"pk":{"S":")" + key +
                             R"("},"ttl_epoch":{"N":")" + std::to_string(end) + R"("}}})");
  };
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(world.now.time_since_epoch()).count();
  put("old", now - 1);
  put("young", now);
  world.ask("PutItem", kPutA);
  EXPECT_EQ(world.tables.expire(world.now), 0);
  EXPECT_EQ(
      world.ask("DescribeTimeToLive", R"({"TableName":"leases"})").text("TimeToLiveDescription"),
      R"({"TimeToLiveStatus":"DISABLED"})");

  const std::string enable = R"({"TableName":"leases","TimeToLiveSpecification":)"
                             R"({"Enabled":true,"AttributeName":"ttl_epoch"}})";
  EXPECT_EQ(world.ask("UpdateTimeToLive", enable).status, 200);
  EXPECT_EQ(world.ask("UpdateTimeToLive", enable).error(), "ValidationException");
  EXPECT_EQ(world.tables.expire(world.now), 1);
  EXPECT_EQ(world.tables.find("leases", "old"), nullptr);
  EXPECT_NE(world.tables.find("leases", "young"), nullptr);
  EXPECT_NE(world.tables.find("leases", "a"), nullptr);
}

TEST(DynamoServiceTest, WhoIsBusyDoesNothing) {
  DynamoWorld world;
  const std::string body = R"({"TransactItems":[{"Put":)" + std::string(kPutA) + "}]}";
  std::set<std::string> errors;
  for (std::uint64_t kind = 0; kind < 6; ++kind) {
    const HttpRequest put = signed_request("PutItem", kPutA, world.now);
    const HttpRequest transact = signed_request("TransactWriteItems", body, world.now);
    errors.insert(DynamoAnswer(world.service.answer_busy(put, kind, world.now)).error());
    const DynamoAnswer answer(world.service.answer_busy(transact, kind, world.now));
    errors.insert(answer.error());
    EXPECT_EQ(answer.codes(), kind % 3 == 2 ? "TransactionConflict" : "");
  }
  EXPECT_EQ(errors, std::set<std::string>(
                        {"ThrottlingException", "ProvisionedThroughputExceededException",
                         "TransactionConflictException", "TransactionCanceledException"}));
  EXPECT_EQ(world.tables.find("leases", "a"), nullptr);
}

}  // namespace
}  // namespace forebay::test
