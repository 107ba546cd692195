// The simulated DynamoDB answers as Amazon's own does: the same requests go to both, and statuses,
// errors, reasons of cancelled transactions and items are compared.
//
// Left out is what DynamoDB Local does in another way than the service that it stands for: it
// counts single units for transactions, and refuses a transaction whose update cannot be applied
// instead of cancelling it.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "forebay/env/random.hpp"
#include "support/dynamodb_local.hpp"
#include "support/dynamodb_requests.hpp"

namespace forebay::test {
namespace {

namespace json = boost::json;

// Keys of objects in order, and items in the order of their keys: what is the same looks the same.
std::string canonical(const json::value& value) {
  if (value.is_object()) {
    std::vector<std::string> members;
    for (const auto& [name, member] : value.get_object())
      members.push_back(std::string(name) + ":" + canonical(member));
    std::ranges::sort(members);
    return fmt::format("{{{}}}", fmt::join(members, ","));
  }
  if (value.is_array()) {
    std::vector<std::string> members;
    for (const json::value& member : value.get_array()) members.push_back(canonical(member));
    std::ranges::sort(members);
    return fmt::format("[{}]", fmt::join(members, ","));
  }
  return value.is_number() ? fmt::format("{}", value.to_number<double>()) : json::serialize(value);
}

std::string told(const DynamoAnswer& answer) {
  std::string text = fmt::format("{} {} [{}]", answer.status, answer.error(), answer.codes());
  for (const char* name :
       {"Item", "Attributes", "Items", "Count", "Responses", "UnprocessedKeys"}) {
    if (const json::value* value = answer.body.if_contains(name))
      text += fmt::format(" {} {}", name, canonical(*value));
  }
  if (const json::value* reasons = answer.body.if_contains("CancellationReasons")) {
    for (const json::value& reason : reasons->as_array()) {
      const json::value* item = reason.as_object().if_contains("Item");
      text += item == nullptr ? " -" : " " + canonical(*item);
    }
  }
  return text;
}

class BothTest : public testing::Test {
 protected:
  BothTest() { world_.create_table(real_.table); }

  DynamoAnswer ask_real(const std::string& operation, const std::string& body) {
    HttpRequest request("POST", real_.server.url());
    request.headers.emplace_back("Content-Type", "application/x-amz-json-1.0");
    request.headers.emplace_back("X-Amz-Target", "DynamoDB_20120810." + operation);
    request.body = body;
    aws::SigningScope scope;
    scope.region = "eu-west-1";
    scope.service = "dynamodb";
    const WallTime now = real_.runtime.env().wall_clock.now();
    aws::sign_headers(request, aws::Credentials("local", "secret"), scope, now);
    const Instant deadline = real_.soon();
    const Result<HttpResponse> response =
        real_.run(real_.runtime.http().send(std::move(request), deadline));
    EXPECT_TRUE(response.has_value()) << response.error().text();
    return DynamoAnswer(response ? *response : HttpResponse(0));
  }
  DynamoAnswer ask_simulated(const std::string& operation, const std::string& body) {
    return world_.ask(operation, body);
  }
  // False: they differ, and the test has failed.
  bool expect_same(const std::string& operation, const std::string& body) {
    const std::string real = told(ask_real(operation, body));
    const std::string simulated = told(ask_simulated(operation, body));
    EXPECT_EQ(simulated, real) << operation << " " << body;
    ++asked_;
    return simulated == real;
  }
  std::string table() const { return fmt::format(R"("TableName":"{}")", real_.table); }
  static std::string key(const std::string& name) {
    return fmt::format(R"("Key":{{"pk":{{"S":"{}"}}}})", name);
  }

  DynamoDbLocalWorld real_;
  DynamoWorld world_;
  int asked_ = 0;
};

// ---- chance

class RandomRequests {
 public:
  RandomRequests(std::uint64_t seed, std::string table) : random_(seed), table_(std::move(table)) {}

  std::pair<std::string, std::string> draw() {
    switch (below(10)) {
      case 0: return {"GetItem", object(key() + R"(,"ConsistentRead":true)")};
      case 1: return {"PutItem", put()};
      case 2: return {"DeleteItem", remove()};
      case 3: return {"Scan", scan()};
      case 4: return {"BatchGetItem", batch()};
      case 5:
      case 6: return {"TransactWriteItems", transaction()};
      default: return {"UpdateItem", single_update()};
    }
  }

 private:
  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  std::string pick(std::initializer_list<const char*> choices) {
    return *(choices.begin() + below(static_cast<int>(choices.size())));
  }
  std::string object(const std::string& rest) {
    return fmt::format(R"({{"TableName":"{}",{}}})", table_, rest);
  }
  std::string key_name() { return pick({"a", "b", "c", "d"}); }
  static std::string key(const std::string& name) {
    return fmt::format(R"("Key":{{"pk":{{"S":"{}"}}}})", name);
  }
  std::string key() { return key(key_name()); }
  std::string item(const std::string& name) {
    std::string attributes = fmt::format(R"("pk":{{"S":"{}"}})", name);
    if (below(3) > 0) attributes += fmt::format(R"(,"n":{{"N":"{}"}})", below(9) - 3);
    if (below(2) > 0) attributes += fmt::format(R"(,"t":{{"S":"{}"}})", pick({"", "x", "xy", "y"}));
    return fmt::format(R"("Item":{{{}}})", attributes);
  }
  std::string returned() {
    return pick({"", "", R"(,"ReturnValues":"ALL_OLD")",
                 R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")"});
  }

  // ---- expressions. Words are :five, :one, :x and #n, each brought if it is used.
  std::string operand() { return pick({"n", "m", "t", "#n", ":one", ":five", ":x"}); }
  std::string comparison() {
    const std::string left = operand();
    const std::string sign = pick({"=", "<>", "<", "<=", ">", ">="});
    return left + " " + sign + " " + operand();
  }
  std::string condition(int depth) {
    const int kind = below(depth > 0 ? 8 : 5);
    if (kind <= 1) return comparison();
    if (kind == 2) return "attribute_exists(" + pick({"n", "m", "t", "pk"}) + ")";
    if (kind == 3) return "attribute_not_exists(" + pick({"n", "#n", "t", "pk"}) + ")";
    if (kind == 4) return "begins_with(" + pick({"t", "pk", "n"}) + ", :x)";
    if (kind == 5) return "NOT " + condition(depth - 1);
    const std::string left = condition(depth - 1);
    const std::string joint = kind == 6 ? " AND " : " OR ";
    const std::string right = condition(depth - 1);
    return below(2) == 0 ? "(" + left + joint + right + ")" : left + joint + right;
  }
  std::string condition_or_none() { return below(3) == 0 ? "" : condition(2); }
  // One that can always be applied: n and m are numbers, t is a text.
  std::string sound_update() {
    return pick({"ADD n :one", "ADD m :five", "SET t = :x", "REMOVE t", "SET n = :five REMOVE m",
                 "SET n = if_not_exists(n, :one) + :five",
                 "SET m = if_not_exists(m, :five) - :one, t = :x", "REMOVE n, m",
                 "SET #n = if_not_exists(m, if_not_exists(#n, :one))", "ADD n :five, m :one"});
  }
  std::string risky_update() {
    return pick({"SET n = m", "SET n = n + m", "SET n = t + :one", "ADD t :one",
                 "SET m = n - :five", "SET n = :one, n = :five", "SET n = :x + :one", "SET n :one",
                 "ADD n :x", "REMOVE", "SET n = n", "SET n = (n + :one)", "SET m = (n) + (:one)",
                 "SET n = (n + :one) - :five", "SET m = ((n))", "DELETED n", "SET n = :none"});
  }
  std::string expressions(const std::string& update, const std::string& condition) {
    const std::string both = update + " " + condition;
    std::string text;
    if (!update.empty()) text += fmt::format(R"(,"UpdateExpression":"{}")", update);
    if (!condition.empty()) text += fmt::format(R"(,"ConditionExpression":"{}")", condition);
    return text + words(both);
  }
  std::string words(const std::string& used) {
    std::string values;
    const auto bring = [&](const std::string& word, const std::string& value) {
      if (used.find(word) == std::string::npos) return;
      values += fmt::format(R"({}"{}":{})", values.empty() ? "" : ",", word, value);
    };
    bring(":one", R"({"N":"1"})");
    bring(":five", R"({"N":"5"})");
    bring(":x", R"({"S":"x"})");
    if (below(40) == 0 && !used.empty()) {  // one that nobody uses
      values += values.empty() ? R"(":more":{"N":"1"})" : R"(,":more":{"N":"1"})";
    }
    std::string text;
    if (!values.empty()) text += fmt::format(R"(,"ExpressionAttributeValues":{{{}}})", values);
    if (used.find("#n") != std::string::npos) text += R"(,"ExpressionAttributeNames":{"#n":"n"})";
    return text;
  }

  // Drawn one by one: their order must not be the compiler's choice.
  std::string put() {
    const std::string name = key_name();
    const std::string what = item(name);
    const std::string more = expressions("", condition_or_none());
    return object(what + more + returned());
  }
  std::string remove() {
    const std::string which = key();
    const std::string more = expressions("", condition_or_none());
    return object(which + more + returned());
  }
  std::string single_update() {
    const std::string update = below(4) == 0 ? risky_update() : sound_update();
    const std::string which = key();
    const std::string more = expressions(update, condition_or_none());
    return object(which + more +
                  pick({"", R"(,"ReturnValues":"ALL_NEW")", R"(,"ReturnValues":"ALL_OLD")",
                        R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")"}));
  }
  std::string scan() {
    return below(2) == 0
               ? object(R"("ConsistentRead":true)")
               : object(R"json("ConsistentRead":true,"FilterExpression":"begins_with(t, :x)",)json"
                        R"("ExpressionAttributeValues":{":x":{"S":"x"}})");
  }
  std::string batch() {
    std::string keys;
    for (const char* name : {"a", "b", "c", "d", "nobody"}) {
      if (below(2) == 0) continue;
      keys += fmt::format(R"({}{{"pk":{{"S":"{}"}}}})", keys.empty() ? "" : ",", name);
    }
    return fmt::format(R"({{"RequestItems":{{"{}":{{"Keys":[{}],"ConsistentRead":true}}}}}})",
                       table_, keys);
  }
  std::string action(const std::string& name) {
    const std::string tell =
        below(2) == 0 ? R"(,"ReturnValuesOnConditionCheckFailure":"ALL_OLD")" : "";
    const int kind = below(4);
    const std::string update = kind == 3 ? sound_update() : "";
    const std::string which = kind == 0 ? item(name) : key(name);
    const std::string only_if = kind == 2 ? condition(2) : condition_or_none();
    static constexpr std::array kNames{"Put", "Delete", "ConditionCheck", "Update"};
    return fmt::format(R"({{"{}":{}}})", kNames.at(static_cast<std::size_t>(kind)),
                       object(which + expressions(update, only_if) + tell));
  }
  // Now and then one with a token that was used before.
  std::string transaction() {
    std::string actions;
    const int first = below(4);
    const int count = 1 + below(3);
    for (int i = 0; i < count; ++i) {
      const std::string name(1, static_cast<char>('a' + (first + i) % 4));
      actions += (i == 0 ? "" : ",") + action(name);
    }
    std::string token;
    if (below(3) == 0) token = fmt::format(R"(,"ClientRequestToken":"{}-{}")", table_, ++tokens_);
    const std::string request = fmt::format(R"({{"TransactItems":[{}]{}}})", actions, token);
    if (!token.empty() && below(2) == 0) last_ = request;
    return below(8) == 0 && !last_.empty() ? last_ : request;
  }

  SeededRandom random_;
  const std::string table_;
  int tokens_ = 0;
  std::string last_;
};

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
