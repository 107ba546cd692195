// RandomRequests: what a client of DynamoDB may ask, right and wrong, of one table with few items.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "forebay/env/random.hpp"

namespace forebay::test {

class RandomRequests {
 public:
  RandomRequests(std::uint64_t seed, std::string table) : random_(seed), table_(std::move(table)) {}

  std::pair<std::string, std::string> draw() {
    switch (below(13)) {
      case 10: return {"Query", query()};
      case 11: return {"BatchWriteItem", batch_write()};
      case 12: return {"TransactGetItems", transacted_gets()};
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
  std::string projection() {
    return pick({"", "", R"(,"ProjectionExpression":"pk, n")", R"(,"ProjectionExpression":"t")"});
  }
  std::string query() {
    const std::string by_key = fmt::format(
        R"("KeyConditionExpression":"{}","ExpressionAttributeValues":{{":k":{{"S":"{}"}}}})",
        pick({"pk = :k", "pk = :k", "pk = :k", "pk < :k", "n = :k"}), key_name());
    return object(by_key + projection() + pick({"", R"(,"Limit":1)", R"(,"Select":"COUNT")"}));
  }
  std::string batch_write() {
    std::string writes;
    const int first = below(4);
    const int count = 1 + below(4);
    for (int i = 0; i < count; ++i) {
      const std::string name(1, static_cast<char>('a' + (first + i) % 4));
      const std::string one = below(2) == 0
                                  ? fmt::format(R"({{"PutRequest":{{{}}}}})", item(name))
                                  : fmt::format(R"({{"DeleteRequest":{{{}}}}})", key(name));
      writes += (i == 0 ? "" : ",") + one;
    }
    if (below(10) == 0) writes += "," + fmt::format(R"({{"DeleteRequest":{{{}}}}})", key("a"));
    return fmt::format(R"({{"RequestItems":{{"{}":[{}]}}}})", table_, writes);
  }
  std::string transacted_gets() {
    std::string gets;
    const int count = 1 + below(3);
    for (int i = 0; i < count; ++i) {
      const std::string which = key();
      gets += (i == 0 ? "" : ",") + fmt::format(R"({{"Get":{}}})", object(which + projection()));
    }
    return fmt::format(R"({{"TransactItems":[{}]}})", gets);
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

}  // namespace forebay::test
