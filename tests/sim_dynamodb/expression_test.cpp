#include "forebay/sim/dynamodb/expression.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "forebay/sim/dynamodb/number.hpp"
#include "forebay/sim/dynamodb/reserved_words.hpp"

namespace forebay::sim::dynamodb {
namespace {

using aws::AttributeValue;
using aws::Item;

// What most rows use: an item, and words.
Item sample() {
  Item item;
  item.emplace("pk", AttributeValue::text("lease#a"));
  item.emplace("n", AttributeValue::number(7));
  item.emplace("owner_id", AttributeValue::text("api-1"));
  return item;
}

Words sample_words() {
  Item values;
  values.emplace(":five", AttributeValue::number(5));
  values.emplace(":seven", AttributeValue::number(7));
  values.emplace(":ten", AttributeValue::number(10));
  values.emplace(":api", AttributeValue::text("api"));
  values.emplace(":api1", AttributeValue::text("api-1"));
  return Words({{"#count", "n"}, {"#none", "nobody"}}, std::move(values));
}

struct ConditionRow {
  std::string text;
  bool holds;
};

class ConditionTable : public testing::TestWithParam<ConditionRow> {};

TEST_P(ConditionTable, IsTrueOrFalse) {
  Words words = sample_words();
  const auto parsed = parse_condition(GetParam().text, "ConditionExpression", words);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->holds(sample()), GetParam().holds);
}

INSTANTIATE_TEST_SUITE_P(
    All, ConditionTable,
    testing::Values(
        ConditionRow{"n = :seven", true}, ConditionRow{"n = :five", false},
        ConditionRow{"#count >= :seven", true}, ConditionRow{"n > :seven", false},
        ConditionRow{"n <= :seven", true}, ConditionRow{"n < :ten", true},
        ConditionRow{"n <> :ten", true}, ConditionRow{":five < n", true},
        // Numbers are compared as numbers: as a text, 7 would come after 10.
        ConditionRow{"n BETWEEN :five AND :ten", true},
        ConditionRow{"n BETWEEN :ten AND :ten", false}, ConditionRow{"attribute_exists(n)", true},
        ConditionRow{"attribute_exists(#none)", false},
        ConditionRow{"attribute_not_exists(#none)", true},
        ConditionRow{"begins_with(owner_id, :api)", true},
        ConditionRow{"begins_with(pk, :api)", false}, ConditionRow{"begins_with(n, :api)", false},
        ConditionRow{"owner_id = :api1", true}, ConditionRow{"owner_id > :api", true},
        // What is missing or of another kind is unequal to everything and in no order.
        ConditionRow{"#none = :five", false}, ConditionRow{"#none <> :five", true},
        ConditionRow{"#none < :five", false}, ConditionRow{"NOT #none < :five", true},
        ConditionRow{"owner_id = :five", false}, ConditionRow{"owner_id <> :five", true},
        ConditionRow{"owner_id < :five", false},
        // AND binds more tightly than OR, NOT more than both.
        ConditionRow{"n = :seven OR n = :five AND n = :ten", true},
        ConditionRow{"(n = :seven OR n = :five) AND n = :ten", false},
        ConditionRow{"NOT n = :five AND n = :seven", true},
        ConditionRow{"NOT (n = :seven AND n = :seven)", false},
        ConditionRow{"not n = :five and Not n = :ten", true},
        ConditionRow{"((n = :seven) AND (n = :seven)) OR n = :five", true},
        ConditionRow{"n=:seven AND begins_with ( pk,:api ) OR n<>:five", true}));

struct UpdateRow {
  std::string text;
  std::string after;  // "n=7 owner_id=api-1", without the key
};

std::string text_of(const Item& item) {
  std::string text;
  for (const auto& [name, value] : item) {
    if (name != "pk") text += (text.empty() ? "" : " ") + name + "=" + value.raw();
  }
  return text;
}

class UpdateTable : public testing::TestWithParam<UpdateRow> {};

TEST_P(UpdateTable, ChangesTheItem) {
  Words words = sample_words();
  const auto parsed = parse_update(GetParam().text, words);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  const auto after = parsed->applied_to(sample());
  ASSERT_TRUE(after.has_value()) << after.error().message;
  EXPECT_EQ(text_of(*after), GetParam().after);
}

INSTANTIATE_TEST_SUITE_P(
    All, UpdateTable,
    testing::Values(UpdateRow{"SET n = :five", "n=5 owner_id=api-1"},
                    UpdateRow{"SET n = n + :five", "n=12 owner_id=api-1"},
                    UpdateRow{"SET n = :five - n", "n=-2 owner_id=api-1"},
                    UpdateRow{"SET m = (n - :ten)", "m=-3 n=7 owner_id=api-1"},
                    // All of it refers to what was there before.
                    UpdateRow{"SET n = :ten, m = n", "m=7 n=10 owner_id=api-1"},
                    UpdateRow{"SET m = if_not_exists(m, :five) + :ten", "m=15 n=7 owner_id=api-1"},
                    UpdateRow{"SET n = if_not_exists(n, :five) + :ten", "n=17 owner_id=api-1"},
                    UpdateRow{"SET m = if_not_exists(m, if_not_exists(#none, :ten))",
                              "m=10 n=7 owner_id=api-1"},
                    UpdateRow{"ADD n :five", "n=12 owner_id=api-1"},
                    UpdateRow{"ADD m :five, n :five", "m=5 n=12 owner_id=api-1"},
                    UpdateRow{"REMOVE n, #none", "owner_id=api-1"},
                    UpdateRow{"ADD m :five REMOVE owner_id SET #count = :ten", "m=5 n=10"},
                    UpdateRow{"set owner_id = :api remove n", "owner_id=api"}));

struct RefusedRow {
  std::string text;
  std::string message;
};

class RefusedConditions : public testing::TestWithParam<RefusedRow> {};

TEST_P(RefusedConditions, SayWhy) {
  Words words = sample_words();
  const auto parsed = parse_condition(GetParam().text, "ConditionExpression", words);
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().type, "ValidationException");
  EXPECT_EQ(parsed.error().message, "Invalid ConditionExpression: " + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedConditions,
    testing::Values(
        RefusedRow{"", "The expression can not be empty;"},
        RefusedRow{"n", R"(Syntax error; token: "<EOF>", near: "n")"},
        RefusedRow{"n = :five OR", R"(Syntax error; token: "<EOF>", near: "OR")"},
        RefusedRow{"n == :five", R"(Syntax error; token: "=", near: "== :five")"},
        RefusedRow{"n != :five", R"(Syntax error; token: "!", near: "n !=")"},
        RefusedRow{"(n = :five", R"(Syntax error; token: "<EOF>", near: ":five")"},
        RefusedRow{"((n = :five))", "The expression has redundant parentheses;"},
        RefusedRow{"n = n",
                   "The first operand must be distinct from the remaining operands for this "
                   "operator or function; operator: =, first operand: [n]"},
        RefusedRow{"count = :five",
                   "Attribute name is a reserved keyword; reserved keyword: count"},
        RefusedRow{"n = :gone",
                   "An expression attribute value used in expression is not defined; attribute "
                   "value: :gone"},
        RefusedRow{"#gone = :five",
                   "An expression attribute name used in the document path is not defined; "
                   "attribute name: #gone"},
        RefusedRow{"begins_with(pk, :five)",
                   "Incorrect operand type for operator or function; operator or function: "
                   "begins_with, operand type: N"},
        RefusedRow{"begins_with(pk)",
                   "Incorrect number of operands for operator or function; operator or function: "
                   "begins_with, number of operands: 1"},
        RefusedRow{"attribute_exists(:five)",
                   "Operator or function requires a document path; operator or function: "
                   "attribute_exists"},
        RefusedRow{"foo(n)", "Invalid function name; function: foo"},
        // A syntax error comes first, wherever it is.
        RefusedRow{"count = :gone AND", R"(Syntax error; token: "<EOF>", near: "AND")"}));

class RefusedUpdates : public testing::TestWithParam<RefusedRow> {};

TEST_P(RefusedUpdates, SayWhy) {
  Words words = sample_words();
  const auto parsed = parse_update(GetParam().text, words);
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().message, "Invalid UpdateExpression: " + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedUpdates,
    testing::Values(
        RefusedRow{"", "The expression can not be empty;"},
        RefusedRow{"SET", R"(Syntax error; token: "<EOF>", near: "SET")"},
        RefusedRow{"n = :five", R"(Syntax error; token: "n", near: "n =")"},
        RefusedRow{"SET n = n + :five - n", R"(Syntax error; token: "-", near: ":five - n")"},
        RefusedRow{"SET n : five", R"(Syntax error; token: ":", near: "n : five")"},
        RefusedRow{"SET n = ((n)) + :five", "The expression has redundant parentheses;"},
        RefusedRow{"ADD n :five ADD m :five",
                   R"(The "ADD" section can only be used once in an update expression;)"},
        RefusedRow{"SET n = :five REMOVE #count",
                   "Two document paths overlap with each other; must remove or rewrite one of "
                   "these paths; path one: [n], path two: [n]"},
        RefusedRow{"ADD n :api",
                   "Incorrect operand type for operator or function; operator: ADD, operand type: "
                   "STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"},
        RefusedRow{"SET n = n + :api",
                   "Incorrect operand type for operator or function; operator or function: +, "
                   "operand type: S"},
        RefusedRow{"SET ttl = :five",
                   "Attribute name is a reserved keyword; reserved keyword: ttl"}));

struct FailedRow {
  std::string text;
  std::string message;
};

class FailedUpdates : public testing::TestWithParam<FailedRow> {};

TEST_P(FailedUpdates, SayWhy) {
  Words words = sample_words();
  const auto parsed = parse_update(GetParam().text, words);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  const auto after = parsed->applied_to(sample());
  ASSERT_FALSE(after.has_value());
  EXPECT_EQ(after.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, FailedUpdates,
    testing::Values(
        FailedRow{"SET n = m",
                  "The provided expression refers to an attribute that does not exist in the item"},
        FailedRow{"SET n = m + :five",
                  "The provided expression refers to an attribute that does not exist in the item"},
        FailedRow{"SET n = owner_id + :five",
                  "An operand in the update expression has an incorrect data type"},
        FailedRow{"ADD owner_id :five",
                  "An operand in the update expression has an incorrect data type"}));

TEST(WordsTest, UnusedWordsAreRefused) {
  Words words = sample_words();
  ASSERT_TRUE(parse_condition("#count = :five", "ConditionExpression", words).has_value());
  ASSERT_TRUE(words.check_all_used().has_value());
  EXPECT_EQ(words.check_all_used()->message,
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#none}");
}

TEST(WholeNumberTest, HasThirtyEightDigits) {
  const std::string most(38, '9');
  ASSERT_TRUE(WholeNumber::parse(most).has_value());
  EXPECT_EQ(WholeNumber::parse(most)->text(), most);
  EXPECT_EQ(WholeNumber::parse("-" + most)->text(), "-" + most);
  EXPECT_EQ(WholeNumber::parse("-000070")->text(), "-70");
  EXPECT_EQ(WholeNumber::parse("-0")->text(), "0");
  EXPECT_FALSE(WholeNumber::parse(most + "0").has_value());
  EXPECT_FALSE(WholeNumber::parse(most)->plus(*WholeNumber::parse("1")).has_value());
  EXPECT_FALSE(WholeNumber::parse(most)->plus(*WholeNumber::parse(most)).has_value());
  EXPECT_EQ(WholeNumber::parse(most)->minus(*WholeNumber::parse(most))->text(), "0");
  for (const char* wrong : {"", "-", "seven", " 7", "7 ", "1.5", "1e3", "--1"})
    EXPECT_FALSE(WholeNumber::parse(wrong).has_value()) << wrong;
}

TEST(ReservedWordsTest, AreKnownInCapitalsOrNot) {
  for (const char* word : {"ABORT", "zone", "Count", "TTL", "connection", "state"})
    EXPECT_TRUE(is_reserved(word)) << word;
  for (const char* word : {"connections", "active", "ttl_epoch", "pk", "", "ABOR", "ONE"})
    EXPECT_FALSE(is_reserved(word)) << word;
}

}  // namespace
}  // namespace forebay::sim::dynamodb
