// Values of Boost.JSON, with and without a server.
#include "forebay/json.hpp"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "forebay/postgres/sql/sql_types.hpp"
#include "postgres/postgres_fixture.hpp"
#include "postgres/sql_values.hpp"

namespace forebay::postgres {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

// Whole numbers, numbers that jsonb does not make whole, texts, and all of these in each other.
rc::Gen<json::value> json_values(int depth) {
  const auto letters = rc::gen::elementOf(std::string("\"\\/\b\f\n\t{}[]:,' x\x7f"));
  const auto text = rc::gen::container<std::string>(letters);
  auto leaf = rc::gen::oneOf(
      rc::gen::just(json::value(nullptr)), rc::gen::just(json::value(true)),
      rc::gen::map(rc::gen::arbitrary<std::int64_t>(),
                   [](std::int64_t n) { return json::value(n); }),
      rc::gen::map(rc::gen::arbitrary<std::int32_t>(),
                   [](std::int32_t n) { return json::value(n + 0.5); }),
      rc::gen::map(text, [](const std::string& value) { return json::value(value); }));
  if (depth == 0) return leaf;
  const auto inner = rc::gen::scale(0.3, json_values(depth - 1));
  return rc::gen::oneOf(
      leaf,
      rc::gen::map(rc::gen::container<std::vector<json::value>>(inner),
                   [](const std::vector<json::value>& values) {
                     return json::value(json::array(values.begin(), values.end()));
                   }),
      rc::gen::map(rc::gen::container<std::map<std::string, json::value>>(text, inner),
                   [](const std::map<std::string, json::value>& values) {
                     return json::value(json::object(values.begin(), values.end()));
                   }));
}

TEST(JsonTest, AnyValueComesBack) {
  EXPECT_TRUE(rc::check("values", [] {
    const json::value value = *json_values(3);
    RC_ASSERT(there_and_back(value).value() == value);
    RC_ASSERT(there_and_back(std::vector<json::value>{value}).value().at(0) == value);
  }));
}

TEST(JsonTest, WhatIsNoneIsRefused) {
  EXPECT_EQ(refusal<json::value>("{s3cret"),
            "a text of 7 bytes is not JSON in UTF-8 (syntax error)");
  EXPECT_NE(refusal<json::value>("\"\xe9\""), "accepted");
  EXPECT_NE(refusal<json::value>(""), "accepted");
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(from_sql<json::value>(nested(kDeepestJson)));
  EXPECT_THAT(refusal<json::value>(nested(kDeepestJson + 1)), HasSubstr("too deep"));
}

class JsonOnServerTest : public SessionTest {};

TEST_F(JsonOnServerTest, AnyValuesComeBack) {
  for (const std::string type : {"json", "jsonb"}) {
    EXPECT_TRUE(rc::check(type, [&] {
      const auto values =
          *rc::gen::noShrink(rc::gen::container<std::vector<json::value>>(10, json_values(2)));
      const auto back = connection_->query_one_blocking<std::vector<json::value>>(
          "SELECT $1::" + type + "[]", parameters(values), kPatience);
      if (!back) RC_FAIL(back.error().text());
      RC_ASSERT(*back == values);
    }));
  }
}

TEST_F(JsonOnServerTest, NullOfJsonIsNotNull) {
  const auto row = connection_->query_one_blocking<bool, json::value, std::optional<json::value>>(
      "SELECT $1::jsonb IS NULL, 'null'::jsonb, NULL::jsonb", parameters(json::value(nullptr)),
      kPatience);
  ASSERT_TRUE(row) << row.error().text();
  EXPECT_FALSE(std::get<0>(*row));
  EXPECT_TRUE(std::get<1>(*row).is_null());
  EXPECT_FALSE(std::get<2>(*row).has_value());
  EXPECT_EQ(
      error_of(connection_->query_one_blocking<json::value>("SELECT 'x' AS v", kPatience)).text(),
      "row 0, column \"v\" (text): a text of 1 bytes is not JSON in UTF-8 (syntax error)");
}

TEST_F(JsonOnServerTest, WhatJsonHasNotIsToldByTheServer) {
  const auto sent = [this](const json::value& value) {
    return connection_->query_one_blocking<json::value>("SELECT $1::jsonb", parameters(value),
                                                        kPatience);
  };
  EXPECT_EQ(error_of(sent(json::value(std::nan("")))).sqlstate(), "22P02");
  EXPECT_EQ(error_of(sent(json::value(HUGE_VAL))).sqlstate(), "22P02");
  EXPECT_EQ(error_of(sent(json::value(std::string(1, '\0')))).sqlstate(), "22P05");
  EXPECT_EQ(sent(json::value(1.0)).value(), json::value(1));
}

}  // namespace
}  // namespace forebay::postgres
