// The simulated DynamoDB, as the stand-in serves it, answers as Amazon's own does: the same
// requests go to both, over HTTP, and statuses, errors, reasons of cancelled transactions and items
// are compared.
//
// Left out is what DynamoDB Local does in another way than the service that it stands for: it
// counts single units for transactions, and refuses a transaction whose update cannot be applied
// instead of cancelling it.
#include <algorithm>
#include <array>

#include "sim_dynamodb_real/both_fixture.hpp"
#include "sim_dynamodb_real/random_requests.hpp"

namespace forebay::test {
namespace {

namespace json = boost::json;

TEST_F(BothTest, RandomRequestsHaveTheSameAnswers) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RandomRequests requests(seed, real_.table);
    for (int i = 0; i < 400; ++i) {
      const auto [operation, body] = requests.draw();
      ASSERT_TRUE(expect_same(operation, body)) << "seed " << seed << ", request " << i;
    }
  }
  EXPECT_EQ(asked_, 2000);
}

// What is refused is refused in the same words.
TEST_F(BothTest, OddExpressionsAreRefusedInTheSameWords) {
  const auto kConditions = std::to_array<const char*>({"",
                                                       "n",
                                                       "n =",
                                                       "= :v",
                                                       "n == :v",
                                                       "n != :v",
                                                       "n = :v OR",
                                                       "OR n = :v",
                                                       "NOT",
                                                       "(n = :v",
                                                       "n = :v)",
                                                       "((n = :v))",
                                                       "n = n",
                                                       "#none = :v",
                                                       "n = :none",
                                                       "count = :v",
                                                       "n = :v count = :v",
                                                       "attribute_exists(:v)",
                                                       "attribute_exists()",
                                                       "attribute_exists(n, t)",
                                                       "begins_with(n)",
                                                       "begins_with(t, :v)",
                                                       "foo(n)",
                                                       "Attribute_Exists(n)",
                                                       "if_not_exists(n, :v)",
                                                       "n BETWEEN :v",
                                                       "n BETWEEN :v AND",
                                                       "n < :v <= :v",
                                                       "and = :v",
                                                       "n ; :v",
                                                       "n = 5"});
  const auto kUpdates = std::to_array<const char*>({"",
                                                    "SET",
                                                    "SET n",
                                                    "SET n =",
                                                    "n = :v",
                                                    "SET n = :v,",
                                                    "SET n = :v SET t = :v",
                                                    "SET n = :v REMOVE n",
                                                    "ADD n :v, n :v",
                                                    "ADD n",
                                                    "ADD n t",
                                                    "SET n = :none",
                                                    "SET #none = :v",
                                                    "SET count = :v",
                                                    "SET n = :v WHERE",
                                                    "SET n = n + :v + :v",
                                                    "SET n = (n + :v) - :v",
                                                    "SET n = :v - (n + :v)",
                                                    "SET n = ((n))",
                                                    "SET n + :v",
                                                    "SET n = foo(n)",
                                                    "SET n = if_not_exists(n)",
                                                    "SET n = if_not_exists(:v, n)",
                                                    "SET n = attribute_exists(n)",
                                                    "SET pk = :v",
                                                    "REMOVE pk",
                                                    "SET n = if_not_exists(n, :v + :v)"});
  int compared = 0;
  const auto compare = [&](const std::string& update, const std::string& condition) {
    const bool uses_value = (update + condition).find(":v") != std::string::npos;
    const std::string body =
        fmt::format("{{{},{},\"UpdateExpression\":\"{}\"", table(), key("a"), update) +
        (condition == "none" ? "" : fmt::format(",\"ConditionExpression\":\"{}\"", condition)) +
        (uses_value ? R"(,"ExpressionAttributeValues":{":v":{"N":"1"}}})" : "}");
    const DynamoAnswer real = ask_real("UpdateItem", body);
    const DynamoAnswer simulated = ask_simulated("UpdateItem", body);
    EXPECT_EQ(simulated.error(), real.error()) << body;
    EXPECT_EQ(simulated.message(), real.message()) << body;
    EXPECT_EQ(real.error(), "ValidationException") << body;
    ++compared;
  };
  for (const char* condition : kConditions) compare("REMOVE unused", condition);
  for (const char* update : kUpdates) compare(update, "none");
  EXPECT_EQ(compared, 58);
}

TEST_F(BothTest, PagesBringEverythingOnce) {
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(
        expect_same("PutItem", fmt::format(R"({{{},"Item":{{"pk":{{"S":"k{}"}}}}}})", table(), i)));
  }
  const auto all = [&](auto ask) {
    std::vector<std::string> found;
    std::string start;
    do {
      const DynamoAnswer page = ask("Scan", fmt::format(R"({{{},"Limit":5{}}})", table(), start));
      for (const json::value& item : page.body.at("Items").as_array())
        found.push_back(canonical(item));
      const std::string last = page.text("LastEvaluatedKey");
      start = last.empty() ? "" : R"(,"ExclusiveStartKey":)" + last;
    } while (!start.empty());
    std::ranges::sort(found);
    return found;
  };
  const auto real =
      all([this](const auto& name, const auto& body) { return ask_real(name, body); });
  const auto simulated =
      all([this](const auto& name, const auto& body) { return ask_simulated(name, body); });
  EXPECT_EQ(real.size(), 12u);
  EXPECT_EQ(simulated, real);
}

TEST_F(BothTest, OddRequestsHaveTheSameErrors) {
  for (const char* body : {R"("Key":{"pk":{"S":""}})", R"("Key":{"pk":{"N":"1"}})",
                           R"("Key":{"x":{"S":"a"}})", R"("Key":{"pk":{"S":"a"},"x":{"S":"a"}})",
                           R"("Key":{"pk":{}})", R"("Key":{"pk":{"S":"a","N":"1"}})"}) {
    expect_same("GetItem", fmt::format("{{{},{}}}", table(), body));
  }
  for (const char* item : {R"({"n":{"N":"1"}})", R"({"pk":{"S":"a"},"n":{"N":"one"}})",
                           R"({"pk":{"S":"a"},"n":{"N":""}})"}) {
    expect_same("PutItem", fmt::format(R"({{{},"Item":{}}})", table(), item));
  }
  expect_same("GetItem", R"({"TableName":"nobody","Key":{"pk":{"S":"a"}}})");
  expect_same("Scan", R"({"TableName":"nobody"})");
  expect_same("DescribeTable", R"({"TableName":"nobody"})");
  expect_same("DropEverything", "{}");
  expect_same("TransactWriteItems", R"({"TransactItems":[]})");
  expect_same("BatchGetItem", R"({"RequestItems":{}})");
  const std::string enable = fmt::format(
      R"({{{},"TimeToLiveSpecification":{{"Enabled":true,"AttributeName":"end"}}}})", table());
  expect_same("UpdateTimeToLive", enable);
  expect_same("UpdateTimeToLive", enable);
}

}  // namespace
}  // namespace forebay::test
