// Arrays as text, without a server.
#include "forebay/postgres/sql/sql_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/postgres/sql/sql_types.hpp"
#include "postgres/sql_values.hpp"

namespace forebay::postgres {
namespace {

using OptionalTexts = std::vector<std::optional<std::string>>;
using Matrix = std::vector<std::vector<int>>;
using testing::HasSubstr;

TEST(SqlArrayTest, IsWrittenAsTheServerWritesIt) {
  EXPECT_EQ(to_sql(std::vector<int>{1, -2, 3}), "{1,-2,3}");
  EXPECT_EQ(to_sql(std::vector<int>()), "{}");
  EXPECT_EQ(to_sql(std::vector<bool>{true, false}), "{true,false}");
  EXPECT_EQ(to_sql(Matrix{{1, 2}, {3, 4}}), "{{1,2},{3,4}}");
  EXPECT_EQ(
      to_sql(OptionalTexts{"a", std::nullopt, "", "null", "NULL ", "{}", "a,b", "\"q\"", "\\"}),
      R"({a,NULL,"","null","NULL ","{}","a,b","\"q\"","\\"})");
  EXPECT_EQ(to_sql(std::vector<std::vector<std::byte>>{{std::byte{255}}}), R"({"\\xff"})");
  EXPECT_EQ(to_sql(std::optional<std::vector<int>>()), std::nullopt);
  const std::vector<std::string_view> views{"a b", "c"};
  EXPECT_EQ(to_sql(views), R"({"a b",c})");
  EXPECT_EQ(to_sql(std::span<const std::string_view>(views)), R"({"a b",c})");
}

TEST(SqlArrayTest, IsReadAsTheServerWritesIt) {
  EXPECT_EQ(from_sql<std::vector<int>>("{}").value(), std::vector<int>());
  EXPECT_EQ(from_sql<std::vector<int>>("[-1:1]={1,2,3}").value(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(from_sql<Matrix>("[0:1][5:6]={{1,2},{3,4}}").value(), (Matrix{{1, 2}, {3, 4}}));
  EXPECT_EQ(from_sql<std::vector<bool>>("{t,f}").value(), (std::vector<bool>{true, false}));
  EXPECT_EQ(from_sql<OptionalTexts>(R"({NULL,"NULL",null,"a\"b\\c"})").value(),
            (OptionalTexts{std::nullopt, "NULL", "null", "a\"b\\c"}));
  using Deep = std::vector<std::vector<std::vector<std::string>>>;
  EXPECT_EQ(from_sql<Deep>(R"({{{"}","{\""}},{{c,d}}})").value(),
            (Deep{{{"}", "{\""}}, {{"c", "d"}}}));
}

TEST(SqlArrayTest, WhatDoesNotFitNamesTheElement) {
  EXPECT_EQ(refusal<std::vector<int>>("{1,x}"),
            "element 1: a text of 1 bytes is not a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(refusal<std::vector<int>>("{NULL}"),
            "element 0: NULL, which only a std::optional can take");
  EXPECT_EQ(refusal<Matrix>("{{1,2},{3,NULL}}"),
            "element 1: element 1: NULL, which only a std::optional can take");
  EXPECT_EQ(refusal<std::vector<int>>("{{1,2}}"),
            "element 0: an inner array, where the C++ type has a single value");
  EXPECT_EQ(refusal<std::vector<std::string>>("{{a}}"),
            "element 0: an inner array, where the C++ type has a single value");
  EXPECT_EQ(refusal<Matrix>("{1,2}"),
            "element 0: a single value, where the C++ type has an inner array");
  EXPECT_EQ(refusal<Matrix>(R"({"{1}"})"),
            "element 0: a single value, where the C++ type has an inner array");
}

TEST(SqlArrayTest, WhatIsNoneIsRefused) {
  for (const char* text :
       {"",         "{",       "}",          "1",      "{1",     "1}",     "{,}",
        "{1,}",     "{,1}",    "{1}}",       "{1},",   "{1}{2}", "{\"a}",  "{\"a\"b}",
        "{a\"b\"}", "{a\\b}",  "{\"a\\b\"}", "{a b}",  "{ a}",   "{{1}",   "[1:2]",
        "[1:2]=",   "[x]={1}", "=[1]",       "{\"a\\", "{1;2}x", "{a{b}}", "{}{}"})
    EXPECT_NE(refusal<std::vector<std::string>>(text), "accepted") << text;
  EXPECT_THAT(refusal<std::vector<int>>("1"), HasSubstr("is not an array"));
}

// The two bytes of one letter of Shift JIS, the second of which is a backslash for those who do not
// know; that of another is a brace.
TEST(SqlArrayTest, EncodingsThatHideAsciiAreRefused) {
  for (const char* text : {"{\x95\x5c}", "{\"x \x95\x5c\"}", "{\x95\x5c,b}", "{\x83\x7d}"})
    EXPECT_THAT(refusal<std::vector<std::string>>(text), HasSubstr("client_encoding"));
}

// Quotes and backslashes everywhere, which is a model of any array that a server may send.
std::string all_quoted(const OptionalTexts& texts) {
  std::string array;
  for (const std::optional<std::string>& text : texts) {
    array += array.empty() ? "{" : ",";
    if (!text) {
      array += "NULL";
      continue;
    }
    array += '"';
    for (const char letter : *text) {
      if (letter == '"' || letter == '\\') array += '\\';
      array += letter;
    }
    array += '"';
  }
  return array.empty() ? "{}" : array + "}";
}

rc::Gen<std::optional<std::string>> strange_texts() {
  const auto letters = rc::gen::elementOf(std::string("{},\"\\ \t\nNULnulx\xc3\xa9=[]:"));
  return rc::gen::oneOf(
      rc::gen::just(std::optional<std::string>()),
      rc::gen::just(std::optional<std::string>("NULL")),
      rc::gen::map(rc::gen::container<std::string>(letters),
                   [](std::string text) { return std::optional(std::move(text)); }));
}

TEST(SqlArrayTest, AnyArrayComesBack) {
  EXPECT_TRUE(rc::check("texts", [] {
    const auto texts = *rc::gen::container<OptionalTexts>(strange_texts());
    RC_ASSERT(there_and_back(texts).value() == texts);
    RC_ASSERT(from_sql<OptionalTexts>(all_quoted(texts)).value() == texts);
  }));
  EXPECT_TRUE(rc::check("arrays of arrays", [] {
    const auto rows = *rc::gen::container<std::vector<OptionalTexts>>(
        rc::gen::scale(0.2, rc::gen::nonEmpty(rc::gen::container<OptionalTexts>(strange_texts()))));
    RC_ASSERT(there_and_back(rows).value() == rows);
  }));
  EXPECT_TRUE(rc::check("numbers", [](const std::vector<std::int64_t>& numbers) {
    RC_ASSERT(there_and_back(numbers).value() == numbers);
  }));
}

TEST(SqlArrayTest, AnyTextIsAnArrayOrRefused) {
  EXPECT_TRUE(rc::check("texts", [] {
    const auto letters = rc::gen::elementOf(std::string("{{{}}},,\"\"\\a "));
    const auto text = *rc::gen::container<std::string>(letters);
    const Result<OptionalTexts> read = from_sql<OptionalTexts>(text);
    if (read) RC_ASSERT(there_and_back(*read).value() == *read);
    const auto nested = from_sql<std::vector<OptionalTexts>>(text);
    if (nested) RC_ASSERT(there_and_back(*nested).value() == *nested);
  }));
}

}  // namespace
}  // namespace forebay::postgres
