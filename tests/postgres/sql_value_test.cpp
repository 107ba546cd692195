// How C++ values are written for the server and read back, without one.
#include "forebay/postgres/sql/sql_value.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "forebay/postgres/sql/parameters.hpp"
#include "forebay/postgres/sql/sql_types.hpp"

namespace forebay::postgres {
namespace {

template <class T>
Result<T> there_and_back(const T& value) {
  const std::optional<std::string> text = to_sql(value);
  return from_sql<T>(text ? std::optional<std::string_view>(*text) : std::nullopt);
}

template <class T>
void expect_exact(const T& value) {
  const Result<T> back = there_and_back(value);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, value);
}

template <class T>
void expect_limits_are_exact() {
  expect_exact(std::numeric_limits<T>::min());
  expect_exact(std::numeric_limits<T>::max());
  expect_exact(std::numeric_limits<T>::lowest());
}

template <class T>
std::string refusal(std::optional<std::string_view> text) {
  const Result<T> value = from_sql<T>(text);
  if (value) return "accepted";
  EXPECT_EQ(value.error().code(), Errc::invalid);
  return value.error().text();
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
  EXPECT_EQ(refusal<std::int8_t>("128"), "\"128\" is not a whole number from -128 to 127");
  EXPECT_EQ(refusal<std::uint16_t>("-1"), "\"-1\" is not a whole number from 0 to 65535");
  EXPECT_EQ(refusal<int>("12 "), "\"12 \" is not a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(refusal<int>("1.5"), "\"1.5\" is not a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(refusal<float>("1e39"), "\"1e39\" is not a number that fits into 32 bits");
  EXPECT_EQ(refusal<double>(""), "\"\" is not a number that fits into 64 bits");
  EXPECT_EQ(refusal<bool>("1"), "\"1\" is not true or false");
  EXPECT_EQ(refusal<int>(std::nullopt), "NULL, which only a std::optional can take");
  EXPECT_EQ(refusal<bool>(std::string(100, 'x')),
            "\"" + std::string(40, 'x') + "…\" is not true or false");
  for (const char* text : {"", "x", "\\x1", "\\x1g", "\\x11 ", "\\\\000"}) {
    EXPECT_EQ(
        refusal<std::vector<std::byte>>(text),
        "\"" + std::string(text) + "\" is not bytes in hexadecimal form (bytea_output = hex)");
  }
}

TEST(SqlValueTest, OptionalsAreAValueOrNull) {
  expect_exact(std::optional<int>(7));
  expect_exact(std::optional<int>());
  EXPECT_EQ(to_sql(std::nullopt), std::nullopt);
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
}

// How times and ids are written and read is tested with them; here, that they are values.

TEST(SqlTypesTest, TimesOfEveryUnitAreValues) {
  using namespace std::chrono;
  expect_exact(sys_days(2025y / November / 15));
  expect_exact(sys_days(-44y / March / 15));
  expect_exact(sys_seconds(1'763'205'296s));
  expect_exact(sys_time<hours>(hours(-5)));
  expect_exact(WallTime(1'763'205'296'123'456us));
  EXPECT_EQ(to_sql(sys_time<nanoseconds>(1'999ns)), "1970-01-01 00:00:00.000001+00");
  EXPECT_EQ(from_sql<sys_days>("2025-11-15").value(), sys_days(2025y / November / 15));
  EXPECT_EQ(from_sql<sys_days>("0044-03-15 BC").value(), sys_days(-43y / March / 15));
  EXPECT_EQ(from_sql<sys_days>("2025-11-15 23:59:59").value(), sys_days(2025y / November / 15));
}

TEST(SqlTypesTest, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "infinity", "-infinity", "now", "2025-02-29", "01/02/2025",
                           "2025-01-01 24:01:00", "2025-01-01 00:00:00.", "999999-01-01"}) {
    EXPECT_NE(refusal<Timestamp>(text), "accepted") << text;
  }
  EXPECT_EQ(refusal<WallTime>("2300-01-01 00:00:00+00"),
            "\"2300-01-01 00:00:00+00\" is not a time that fits into its type");
  EXPECT_NE(refusal<Uuid>("no id"), "accepted");
}

TEST(SqlTypesTest, AnyTimeComesBackToTheMicrosecondAndAnyIdToTheBit) {
  EXPECT_TRUE(rc::check("microseconds", [](std::int64_t count) {
    const Timestamp value = timestamp_from_microseconds(count);
    RC_ASSERT(there_and_back(value).value() == value);
  }));
  EXPECT_TRUE(rc::check("the library's wall time", [](std::int64_t count) {
    const WallTime value{std::chrono::microseconds(count / 1000)};
    RC_ASSERT(there_and_back(value).value() == value);
  }));
  EXPECT_TRUE(rc::check("ids", [](const Uuid::Bytes& bytes) {
    RC_ASSERT(there_and_back(Uuid(bytes)).value() == Uuid(bytes));
  }));
}

}  // namespace
}  // namespace forebay::postgres
