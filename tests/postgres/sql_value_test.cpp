// How C++ values are written for the server and read back, without one.
#include "forebay/postgres/sql/sql_value.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/postgres/sql/parameters.hpp"
#include "forebay/postgres/sql/sql_types.hpp"
#include "postgres/sql_values.hpp"

namespace forebay::postgres {
namespace {

template <class T>
void expect_limits_are_exact() {
  expect_exact(std::numeric_limits<T>::min());
  expect_exact(std::numeric_limits<T>::max());
  expect_exact(std::numeric_limits<T>::lowest());
}

TEST(SqlValueTest, EveryWidthOfNumberIsExactAtItsLimits) {
  expect_limits_are_exact<std::int8_t>();
  expect_limits_are_exact<std::uint8_t>();
  expect_limits_are_exact<std::int16_t>();
  expect_limits_are_exact<std::uint16_t>();
  expect_limits_are_exact<std::int32_t>();
  expect_limits_are_exact<std::uint32_t>();
  expect_limits_are_exact<long>();
  expect_limits_are_exact<unsigned long>();
  expect_limits_are_exact<long long>();
  expect_limits_are_exact<unsigned long long>();
  expect_limits_are_exact<float>();
  expect_limits_are_exact<double>();
}

TEST(SqlValueTest, NumbersThatAreNoneAreExactToo) {
  expect_exact(std::numeric_limits<double>::infinity());
  expect_exact(-std::numeric_limits<float>::infinity());
  expect_exact(std::numeric_limits<double>::denorm_min());
  const Result<double> nothing = there_and_back(std::nan(""));
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(std::isnan(*nothing));
  const Result<double> zero = there_and_back(-0.0);
  ASSERT_TRUE(zero);
  EXPECT_TRUE(std::signbit(*zero));
}

TEST(SqlValueTest, WhatDoesNotFitIsRefusedAndSaysWhy) {
  EXPECT_EQ(refusal<std::int8_t>("128"),
            "a whole number of 3 digits is not a whole number from -128 to 127");
  EXPECT_EQ(refusal<std::uint16_t>("-1"),
            "a negative whole number of 1 digits is not a whole number from 0 to 65535");
  EXPECT_EQ(refusal<int>("12 "),
            "a text of 3 bytes is not a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(refusal<int>("1.5"),
            "a number with a fraction or exponent is not a whole number from -2147483648 to "
            "2147483647");
  EXPECT_EQ(refusal<int>("NaN"), "NaN is not a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(refusal<bool>("-inf"), "-Infinity is not true or false");
  EXPECT_EQ(refusal<bool>("nan(hunter2)"), "NaN is not true or false");
  EXPECT_EQ(refusal<float>("1e39"),
            "a number with a fraction or exponent is not a number that fits into 32 bits");
  EXPECT_EQ(refusal<double>(""), "an empty text is not a number that fits into 64 bits");
  EXPECT_EQ(refusal<bool>("1"), "a whole number of 1 digits is not true or false");
  EXPECT_EQ(refusal<int>(std::nullopt), "NULL, which only a std::optional can take");
  for (const char* text : {"x", "\\x1", "\\x1g", "\\x11 ", "\\\\000"}) {
    EXPECT_EQ(refusal<std::vector<std::byte>>(text),
              "a text of " + std::to_string(std::strlen(text)) +
                  " bytes is not bytes in hexadecimal form (bytea_output = hex)");
  }
  EXPECT_NE(refusal<std::vector<std::byte>>(""), "accepted");
}

TEST(SqlValueTest, RefusalsDoNotTellTheValue) {
  EXPECT_TRUE(rc::check("whatever it is", [](const std::string& secret) {
    RC_PRE(secret.size() > 3);
    const std::string text = "s3cret-" + secret;
    RC_ASSERT(!refusal<int>(text).contains("s3cret"));
    RC_ASSERT(!refusal<double>(text).contains("s3cret"));
    RC_ASSERT(!refusal<bool>(text).contains("s3cret"));
    RC_ASSERT(!refusal<std::vector<std::byte>>(text).contains("s3cret"));
    RC_ASSERT(!refusal<Uuid>(text).contains("s3cret"));
    RC_ASSERT(!refusal<Timestamp>(text).contains("s3cret"));
    RC_ASSERT(!refusal<Numeric>(text).contains("s3cret"));
    RC_ASSERT(!refusal<Interval>(text).contains("s3cret"));
    RC_ASSERT(!refusal<std::vector<std::string>>(text).contains("s3cret"));
    RC_ASSERT(!refusal<std::vector<int>>("{1,\"s3cret\"}").contains("s3cret"));
  }));
}

TEST(SqlValueTest, OptionalsAreAValueOrNull) {
  expect_exact(std::optional<int>(7));
  expect_exact(std::optional<int>());
  EXPECT_EQ(to_sql(std::nullopt), std::nullopt);
  EXPECT_EQ(to_sql(nullptr), std::nullopt);
  EXPECT_EQ(to_sql(static_cast<const char*>(nullptr)), std::nullopt);
  EXPECT_NE(refusal<std::optional<int>>("x"), "accepted");
}

TEST(SqlValueTest, ParametersTakeWhatPeopleWrite) {
  const std::string_view view = "view";
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{0xff}};
  const Parameters made = parameters(42, "text", std::string("string"), view, 1.5, true,
                                     std::nullopt, std::optional<int>(), std::optional<int>(3),
                                     bytes, std::span<const std::byte>(bytes));
  const Parameters expected{"42",         "text",       "string", "view",    "1.5",    "true",
                            std::nullopt, std::nullopt, "3",      "\\x00ff", "\\x00ff"};
  EXPECT_EQ(made, expected);
  EXPECT_TRUE(parameters().empty());
}

TEST(SqlValueTest, AnyNumberTextAndBytesComeBack) {
  EXPECT_TRUE(rc::check("integers", [](std::int64_t value, std::uint64_t natural) {
    RC_ASSERT(*there_and_back(value) == value);
    RC_ASSERT(*there_and_back(natural) == natural);
  }));
  EXPECT_TRUE(rc::check("doubles, bit by bit", [](std::uint64_t bits) {
    const auto value = std::bit_cast<double>(bits);
    RC_PRE(!std::isnan(value));
    RC_ASSERT(std::bit_cast<std::uint64_t>(*there_and_back(value)) == bits);
  }));
  EXPECT_TRUE(rc::check("bytes", [](const std::vector<std::uint8_t>& numbers) {
    std::vector<std::byte> bytes;
    for (const std::uint8_t number : numbers) bytes.push_back(static_cast<std::byte>(number));
    RC_ASSERT(*there_and_back(bytes) == bytes);
  }));
  EXPECT_TRUE(rc::check("ids", [](const Uuid::Bytes& bytes) {
    RC_ASSERT(there_and_back(Uuid(bytes)).value() == Uuid(bytes));
  }));
}

}  // namespace
}  // namespace forebay::postgres
