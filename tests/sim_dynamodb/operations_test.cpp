// Operations that our client does not ask for, but others do: searches by key, projections, batches
// of writes, transactions of reads, and tables that go. tests/sim_dynamodb_real compares them with
// Amazon's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/dynamodb_requests.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;

constexpr char kBatch[] =
    R"({"RequestItems":{"leases":[{"PutRequest":{"Item":{"pk":{"S":"a"},"n":{"N":"1"}}}},)"
    R"({"PutRequest":{"Item":{"pk":{"S":"b"},"n":{"N":"2"},"t":{"S":"x"}}}},)"
    R"({"DeleteRequest":{"Key":{"pk":{"S":"c"}}}}],)";

class DynamoOperationsTest : public testing::Test {
 protected:
  DynamoOperationsTest() {
    const DynamoAnswer written =
        world_.ask("BatchWriteItem", std::string(kBatch) + R"("rates":[{"PutRequest":{"Item":)"
                                                           R"({"pk":{"S":"r"}}}}]}})");
    EXPECT_EQ(written.status, 200) << written.message();
    EXPECT_EQ(written.text("UnprocessedItems"), "{}");
  }
  DynamoAnswer query(const std::string& more) {
    return world_.ask("Query", R"({"TableName":"leases","KeyConditionExpression":"pk = :k",)"
                               R"("ExpressionAttributeValues":{":k":{"S":"b"}})" +
                                   more + "}");
  }

  struct TwoTables : DynamoWorld {
    TwoTables() { create_table("rates"); }
  };
  TwoTables world_;
};

TEST_F(DynamoOperationsTest, AQueryFindsTheItemWithThatKey) {
  EXPECT_EQ(query("").text("Items"), R"([{"n":{"N":"2"},"pk":{"S":"b"},"t":{"S":"x"}}])");
  EXPECT_EQ(query(R"(,"ProjectionExpression":"n")").text("Items"), R"([{"n":{"N":"2"}}])");
  EXPECT_EQ(query(R"(,"ExclusiveStartKey":{"pk":{"S":"b"}})").text("Items"), "[]");
  const DynamoAnswer count = query(R"(,"Select":"COUNT","FilterExpression":"n > n")");
  EXPECT_EQ(count.error(), "ValidationException");
  EXPECT_EQ(query(R"(,"Select":"COUNT")").text("Count"), "1");
  EXPECT_EQ(query(R"(,"Select":"COUNT")").text("Items"), "");
}

TEST_F(DynamoOperationsTest, AScanShowsWhatItIsAskedFor) {
  const DynamoAnswer scan =
      world_.ask("Scan", R"({"TableName":"leases","ProjectionExpression":"#n",)"
                         R"("ExpressionAttributeNames":{"#n":"n"}})");
  EXPECT_EQ(scan.text("Items"), R"([{"n":{"N":"1"}},{"n":{"N":"2"}}])");
}

TEST_F(DynamoOperationsTest, ABatchOfWritesIsLookedAtBeforeAnythingIsWritten) {
  const std::string some = kBatch;
  for (const char* wrong :
       {R"("nobody":[{"DeleteRequest":{"Key":{"pk":{"S":"a"}}}}]}})", R"("rates":[]}})",
        R"("rates":[{"PutRequest":{"Item":{"n":{"N":"1"}}}}]}})",
        R"("rates":[{"Put":{"Item":{"pk":{"S":"r"}}}}]}})"}) {
    world_.ask("DeleteItem", R"({"TableName":"leases","Key":{"pk":{"S":"a"}}})");
    EXPECT_EQ(world_.ask("BatchWriteItem", some + wrong).status, 400) << wrong;
    EXPECT_EQ(world_.tables.find("leases", "a"), nullptr) << wrong;
  }
  std::string many;
  for (int i = 0; i < 26; ++i) {
    many += (i == 0 ? "" : ",") + std::string(R"({"DeleteRequest":{"Key":{"pk":{"S":")") +
            std::to_string(i) + R"("}}}})";
  }
  EXPECT_THAT(
      world_.ask("BatchWriteItem", R"({"RequestItems":{"leases":[)" + many + "]}}").message(),
      HasSubstr("Too many items"));
}

TEST_F(DynamoOperationsTest, ATransactionOfReadsAnswersInOrder) {
  const auto get = [](const std::string& table, const std::string& key) {
    return R"({"Get":{"TableName":")" + table + R"(","Key":{"pk":{"S":")" + key + R"("}}}})";
  };
  const DynamoAnswer some = world_.ask(
      "TransactGetItems", R"({"TransactItems":[)" + get("rates", "r") + "," + get("leases", "c") +
                              "," + get("leases", "a") + R"(],"ReturnConsumedCapacity":"TOTAL"})");
  EXPECT_EQ(some.text("Responses"),
            R"([{"Item":{"pk":{"S":"r"}}},{},{"Item":{"n":{"N":"1"},"pk":{"S":"a"}}}])");
  EXPECT_EQ(some.text("ConsumedCapacity"), R"([{"TableName":"leases","CapacityUnits":4E0},)"
                                           R"({"TableName":"rates","CapacityUnits":2E0}])");
}

TEST_F(DynamoOperationsTest, TablesAreListedAndGo) {
  EXPECT_EQ(world_.ask("ListTables", "{}").text("TableNames"), R"(["leases","rates"])");
  const DynamoAnswer first = world_.ask("ListTables", R"({"Limit":1})");
  EXPECT_EQ(first.text("LastEvaluatedTableName"), R"("leases")");
  EXPECT_EQ(world_.ask("ListTables", R"({"ExclusiveStartTableName":"leases"})").text("TableNames"),
            R"(["rates"])");
  std::string gone;
  world_.tables.set_on_change(
      [&](const std::string& table, const std::string& key, const aws::Item*,
          const aws::Item* after) { gone += table + "/" + key + (after == nullptr ? " " : "? "); });
  EXPECT_THAT(world_.ask("DeleteTable", R"({"TableName":"leases"})").text("TableDescription"),
              HasSubstr(R"("TableStatus":"DELETING")"));
  EXPECT_EQ(gone, "leases/a leases/b ");
  EXPECT_EQ(world_.ask("DeleteTable", R"({"TableName":"leases"})").error(),
            "ResourceNotFoundException");
}

TEST_F(DynamoOperationsTest, TimeToLiveIsSwitchedOff) {
  const std::string specification =
      R"({"TableName":"leases","TimeToLiveSpecification":{"AttributeName":"end","Enabled":)";
  EXPECT_THAT(world_.ask("UpdateTimeToLive", specification + "false}}").message(),
              HasSubstr("already disabled"));
  EXPECT_EQ(world_.ask("UpdateTimeToLive", specification + "true}}").status, 200);
  EXPECT_EQ(world_.ask("UpdateTimeToLive", specification + "false}}").status, 200);
  EXPECT_EQ(
      world_.ask("DescribeTimeToLive", R"({"TableName":"leases"})").text("TimeToLiveDescription"),
      R"({"TimeToLiveStatus":"DISABLED"})");
}

// It can be made and looked at, as somebody's own; what is refused is its items.
TEST_F(DynamoOperationsTest, ATableWithAnotherKeyHasNoItemsHere) {
  const std::string made =
      R"({"TableName":"theirs","BillingMode":"PAY_PER_REQUEST",)"
      R"("KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":)";
  EXPECT_EQ(world_.ask("CreateTable", made + "[]}").error(), "ValidationException");
  EXPECT_EQ(
      world_.ask("CreateTable", made + R"([{"AttributeName":"id","AttributeType":"N"}]})").status,
      200);
  EXPECT_THAT(world_.ask("DescribeTable", R"({"TableName":"theirs"})").text("Table"),
              HasSubstr(R"([{"AttributeName":"id","AttributeType":"N"}])"));
  EXPECT_THAT(world_.ask("GetItem", R"({"TableName":"theirs","Key":{"pk":{"S":"a"}}})").message(),
              HasSubstr("not simulated"));
}

TEST_F(DynamoOperationsTest, APageEndsAfterAMegabyte) {
  const std::string filler(390'000, 'x');
  for (int i = 0; i < 4; ++i) {
    world_.ask("PutItem", R"({"TableName":"rates","Item":{"pk":{"S":"k)" + std::to_string(i) +
                              R"("},"f":{"S":")" + filler + R"("}}})");
  }
  const DynamoAnswer page =
      world_.ask("Scan", R"({"TableName":"rates","ProjectionExpression":"pk"})");
  EXPECT_EQ(page.text("Count"), "3");
  EXPECT_EQ(page.text("LastEvaluatedKey"), R"({"pk":{"S":"k2"}})");
}

TEST_F(DynamoOperationsTest, AServiceForAnybodyAsksForASignatureAndNotWhose) {
  sim::dynamodb::Service service(world_.tables);
  const aws::Credentials stranger("AKIDSTRANGER", "another-secret");
  const DynamoAnswer strange(service.answer(
      signed_request("ListTables", "{}", world_.now - std::chrono::hours(5), stranger),
      world_.now));
  EXPECT_EQ(strange.status, 200);
  const DynamoAnswer unsigned_answer(
      service.answer(unsigned_request("ListTables", "{}"), world_.now));
  EXPECT_EQ(unsigned_answer.error(), "MissingAuthenticationTokenException");
}

}  // namespace
}  // namespace forebay::test
