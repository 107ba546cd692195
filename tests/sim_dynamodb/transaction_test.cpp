// Writes alone and in transactions, as the service does them.
#include <string>

#include <gtest/gtest.h>

#include "support/dynamodb_requests.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;

class TransactionTest : public testing::Test {
 protected:
  static std::string put(const std::string& key, int value, const std::string& more = "") {
    return R"({"Put":{"TableName":"leases","Item":{"pk":{"S":")" + key + R"("},"n":{"N":")" +
           std::to_string(value) + R"("}})" + more + "}}";
  }
  static std::string add(const std::string& key, int value, const std::string& more = "") {
    return R"({"Update":{"TableName":"leases","Key":{"pk":{"S":")" + key +
           R"("}},"UpdateExpression":"ADD n :v","ExpressionAttributeValues":{":v":{"N":")" +
           std::to_string(value) + R"("}})" + more + "}}";
  }
  static std::string remove(const std::string& key, const std::string& more = "") {
    return R"({"Delete":{"TableName":"leases","Key":{"pk":{"S":")" + key + R"("}})" + more + "}}";
  }
  static std::string check(const std::string& key, const std::string& condition) {
    return R"({"ConditionCheck":{"TableName":"leases","Key":{"pk":{"S":")" + key +
           R"("}},"ConditionExpression":")" + condition +
           R"(","ReturnValuesOnConditionCheckFailure":"ALL_OLD"}})";
  }
  DynamoAnswer transact(const std::string& writes, const std::string& token = "") {
    const std::string with_token =
        token.empty() ? "" : R"(,"ClientRequestToken":")" + token + R"(")";
    return world_.ask("TransactWriteItems", R"({"TransactItems":[)" + writes + "]" + with_token +
                                                R"(,"ReturnConsumedCapacity":"TOTAL"})");
  }
  // -1: there is no such item.
  std::int64_t number_of(const std::string& key) const {
    const aws::Item* item = world_.tables.find("leases", key);
    return item == nullptr ? -1 : aws::integer_at(*item, "n").value_or(-2);
  }

  static constexpr const char* kIfNew =
      R"json(,"ConditionExpression":"attribute_not_exists(pk)")json";
  static constexpr const char* kIfNewTell =
      R"json(,"ConditionExpression":"attribute_not_exists(pk)",)json"
      R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD")";

  DynamoWorld world_;
};

TEST_F(TransactionTest, AllWritesAreMadeTogether) {
  transact(put("gone", 1));

  const DynamoAnswer answer = transact(put("a", 3) + "," + add("b", 4) + "," + remove("gone") +
                                       "," + check("c", "attribute_not_exists(pk)"));

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(number_of("a"), 3);
  EXPECT_EQ(number_of("b"), 4);
  EXPECT_EQ(number_of("gone"), -1);
  EXPECT_EQ(number_of("c"), -1);
}

TEST_F(TransactionTest, OneFailedConditionCancelsAllAndEveryReasonIsTold) {
  transact(put("a", 3));

  const DynamoAnswer answer =
      transact(put("a", 9, kIfNewTell) + "," + add("b", 1) + "," + add("a2", 1, kIfNew) + "," +
               check("c", "attribute_exists(pk)"));

  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.error(), "TransactionCanceledException");
  EXPECT_EQ(answer.codes(), "ConditionalCheckFailed None None ConditionalCheckFailed");
  EXPECT_NE(answer.text("CancellationReasons").find(R"("Item":{"n":{"N":"3"},"pk":{"S":"a"}})"),
            std::string::npos);
  EXPECT_NE(answer.message().find("[ConditionalCheckFailed, None, None, ConditionalCheckFailed]"),
            std::string::npos);
  EXPECT_EQ(number_of("a"), 3);
  EXPECT_EQ(number_of("b"), -1);
}

TEST_F(TransactionTest, AnUpdateThatCannotBeMadeCancelsItToo) {
  const std::string bad =
      R"({"Update":{"TableName":"leases","Key":{"pk":{"S":"x"}},"UpdateExpression":"SET n = m"}})";
  const DynamoAnswer answer = transact(put("a", 1) + "," + bad);
  EXPECT_EQ(answer.codes(), "None ValidationError");
  EXPECT_EQ(number_of("a"), -1);
}

TEST_F(TransactionTest, ARepeatedTokenDoesNothingAndSaysSuccess) {
  EXPECT_EQ(transact(add("a", 1), "t1").status, 200);
  EXPECT_EQ(transact(add("a", 1), "t1").status, 200);
  EXPECT_EQ(number_of("a"), 1);

  const DynamoAnswer other = transact(add("a", 2), "t1");
  EXPECT_EQ(other.error(), "IdempotentParameterMismatchException");
  EXPECT_EQ(number_of("a"), 1);
}

TEST_F(TransactionTest, ATokenIsForgottenAfterTenMinutes) {
  transact(add("a", 1), "t1");
  world_.now += 10min;
  transact(add("a", 1), "t1");
  EXPECT_EQ(number_of("a"), 1);
  world_.now += 1s;
  transact(add("a", 1), "t1");
  EXPECT_EQ(number_of("a"), 2);
}

TEST_F(TransactionTest, ACancelledTransactionMayBeSentAgainWithItsToken) {
  transact(put("a", 1));
  EXPECT_EQ(transact(put("a", 2, kIfNew), "t1").status, 400);
  transact(remove("a"));
  EXPECT_EQ(transact(put("a", 2, kIfNew), "t1").status, 200);
  EXPECT_EQ(number_of("a"), 2);
}

TEST_F(TransactionTest, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(transact("").error(), "ValidationException");
  EXPECT_EQ(transact(put("a", 1) + "," + remove("a")).error(), "ValidationException");
  EXPECT_EQ(transact("{}").error(), "ValidationException");
  EXPECT_EQ(transact(put("a", 1), std::string(37, 'x')).error(), "ValidationException");
  std::string many = put("0", 1);
  for (int i = 1; i <= 100; ++i) many += "," + put(std::to_string(i), 1);
  EXPECT_EQ(transact(many).error(), "ValidationException");
  EXPECT_EQ(number_of("0"), -1);
}

TEST_F(TransactionTest, CapacityIsTwoUnitsForEachKilobyteAndWriteAndFailuresCountToo) {
  const DynamoAnswer two = transact(put("a", 1) + "," + put("b", 1));
  EXPECT_EQ(two.body.at("ConsumedCapacity").at(0).at("CapacityUnits").to_number<double>(), 4);
  EXPECT_EQ(world_.tables.write_units(), 4);

  transact(put("a", 1, kIfNew));
  EXPECT_EQ(world_.tables.write_units(), 6);

  const DynamoAnswer big = world_.ask(
      "PutItem", R"({"TableName":"leases","ReturnConsumedCapacity":"TOTAL","Item":{"pk":{"S":"c"},)"
                 R"("t":{"S":")" +
                     std::string(2000, 'x') + R"("}}})");
  EXPECT_EQ(big.body.at("ConsumedCapacity").at("CapacityUnits").to_number<double>(), 2);
  // A repeated token costs reads.
  transact(put("d", 1), "t");
  const double before = world_.tables.write_units();
  transact(put("d", 1), "t");
  EXPECT_EQ(world_.tables.write_units(), before);
}

TEST_F(TransactionTest, ChangesAreTold) {
  std::string told;
  world_.tables.set_on_change([&told](const std::string& table, const std::string& key,
                                      const aws::Item* before, const aws::Item* after) {
    const auto text = [](const aws::Item* item) {
      return item == nullptr ? std::string("-") : item->at("n").raw();
    };
    told += table + "/" + key + " " + text(before) + ">" + text(after) + "; ";
  });

  transact(put("a", 1) + "," + add("b", 2));
  transact(add("a", 4) + "," + remove("b"));
  transact(put("a", 1, kIfNew));
  transact(remove("nobody"));

  EXPECT_EQ(told, "leases/a ->1; leases/b ->2; leases/a 1>5; leases/b 2>-; ");
}

}  // namespace
}  // namespace forebay::test
