// What programs other than ours ask a DynamoDB: tables that come and go, searches, batches and
// pages.
#include "sim_dynamodb_real/both_fixture.hpp"

namespace forebay::test {
namespace {

TEST_F(BothTest, TablesComeAndGoAlike) {
  const std::string made =
      fmt::format(R"({{"TableName":"{}-more","BillingMode":"PAY_PER_REQUEST","KeySchema":)"
                  R"([{{"AttributeName":"pk","KeyType":"HASH"}}],"AttributeDefinitions":)",
                  real_.table);
  const std::string named = fmt::format(R"({{"TableName":"{}-more"}})", real_.table);
  const auto listed = [&](DynamoClientWorld& world) {
    const std::string from =
        fmt::format(R"({{"ExclusiveStartTableName":"{}","Limit":1}})", real_.table);
    return ask(world, "ListTables", from).text("TableNames");
  };
  EXPECT_TRUE(expect_same("CreateTable", made + "[]}"));
  const std::string definition = R"([{"AttributeName":"pk","AttributeType":"S"}]})";
  EXPECT_EQ(ask_real("CreateTable", made + definition).status, 200);
  EXPECT_EQ(ask_simulated("CreateTable", made + definition).status, 200);
  EXPECT_TRUE(expect_same("CreateTable", made + definition));
  EXPECT_EQ(listed(real_), fmt::format(R"(["{}-more"])", real_.table));
  EXPECT_EQ(listed(ours_), listed(real_));
  EXPECT_EQ(ask_simulated("DeleteTable", named).status, 200);
  EXPECT_EQ(ask_real("DeleteTable", named).status, 200);
  EXPECT_TRUE(expect_same("DescribeTable", named));
  EXPECT_TRUE(expect_same("DeleteTable", named));
  EXPECT_TRUE(expect_same("ListTables", R"({"Limit":0})"));
}

TEST_F(BothTest, OddSearchesAndBatchesHaveTheSameErrors) {
  const std::string rest =
      fmt::format(R"({{{},"ExpressionAttributeValues":{{":k":{{"S":"a"}}}},)", table());
  for (const char* more :
       {R"("KeyConditionExpression":"pk = :k AND n = :k")", R"("KeyConditionExpression":"pk")",
        R"json("KeyConditionExpression":"begins_with(pk, :k)")json",
        R"("KeyConditionExpression":"pk = :k","ProjectionExpression":"pk, pk")",
        R"("KeyConditionExpression":"pk = :k","ProjectionExpression":"")",
        R"("KeyConditionExpression":"pk = :k","ProjectionExpression":"count")",
        R"("KeyConditionExpression":"pk = :k","Select":"COUNT","ProjectionExpression":"pk")",
        R"("KeyConditionExpression":"pk = :k","Select":"EVERYTHING")",
        R"("KeyConditionExpression":"pk = :k","Limit":0)",
        R"("KeyConditionExpression":"pk = :k","ExpressionAttributeNames":{"#n":"n"})"})
    expect_same("Query", rest + more + "}");
  expect_same("Query", fmt::format("{{{}}}", table()));
  expect_same("Query", fmt::format(R"({{{},"KeyConditionExpression":"pk = :k",)"
                                   R"("ExpressionAttributeValues":{{":k":{{"N":"1"}}}}}})",
                                   table()));
  expect_same("BatchWriteItem", R"({"RequestItems":{}})");
  expect_same("BatchWriteItem", fmt::format(R"({{"RequestItems":{{"{}":[]}}}})", real_.table));
  expect_same("BatchWriteItem",
              R"({"RequestItems":{"nobody":[{"DeleteRequest":{"Key":{"pk":{"S":"a"}}}}]}})");
  expect_same("TransactGetItems", R"({"TransactItems":[]})");
  expect_same("TransactGetItems",
              R"({"TransactItems":[{"Get":{"TableName":"nobody","Key":{"pk":{"S":"a"}}}}]})");
  const std::string off = fmt::format(
      R"({{{},"TimeToLiveSpecification":{{"Enabled":false,"AttributeName":"end"}}}})", table());
  expect_same("UpdateTimeToLive", off);
}

// A page of the real one ends after a megabyte.
TEST_F(BothTest, PagesEndAtTheSameItems) {
  const std::string filler(300'000, 'x');
  for (int i = 0; i < 5; ++i) {
    const std::string body =
        fmt::format(R"({{{},"Item":{{"pk":{{"S":"k{}"}},"f":{{"S":"{}"}}}}}})", table(), i, filler);
    ASSERT_EQ(ask_real("PutItem", body).status, 200);
    ASSERT_EQ(ask_simulated("PutItem", body).status, 200);
  }
  const std::string scan =
      fmt::format(R"({{{},"ProjectionExpression":"pk","ConsistentRead":true}})", table());
  const DynamoAnswer real = ask_real("Scan", scan);
  const DynamoAnswer simulated = ask_simulated("Scan", scan);
  EXPECT_NE(real.text("LastEvaluatedKey"), "");
  EXPECT_EQ(simulated.text("Count"), real.text("Count"));
}

}  // namespace
}  // namespace forebay::test
