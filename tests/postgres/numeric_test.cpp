// Decimal numbers as text, without a server.
#include "forebay/postgres/sql/numeric.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "postgres/sql_values.hpp"

namespace forebay::postgres {
namespace {

Numeric number(std::string_view text) { return Numeric::parse(text).value(); }

TEST(NumericTest, KeepsEveryDigit) {
  const std::string long_one = "-" + std::string(1000, '9') + "." + std::string(1000, '1') + "00";
  for (const std::string& text : {std::string("0"), std::string("1.50"), std::string("-0.000"),
                                  std::string(".5"), std::string("5."), long_one}) {
    EXPECT_EQ(number(text).text(), text);
    EXPECT_EQ(from_sql<Numeric>(text).value().text(), text);
    EXPECT_EQ(to_sql(number(text)), text);
  }
  EXPECT_EQ(Numeric().text(), "0");
  EXPECT_EQ(Numeric(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
  EXPECT_EQ(Numeric(-7).text(), "-7");
}

TEST(NumericTest, IsComparedByValue) {
  EXPECT_EQ(number("1.50"), number("1.5"));
  EXPECT_EQ(number("+001"), number("1."));
  EXPECT_EQ(number("-0.0"), Numeric());
  EXPECT_EQ(number("NaN"), number("NaN"));
  EXPECT_NE(number("1.5"), number("-1.5"));
  EXPECT_NE(number("10"), number("1"));
  EXPECT_NE(number("0.10"), number("0.01"));
  EXPECT_NE(number("Infinity"), number("-Infinity"));
}

TEST(NumericTest, BecomesADoubleOnlyWhenAsked) {
  static_assert(!std::convertible_to<Numeric, double> && !std::convertible_to<double, Numeric>);
  EXPECT_EQ(number("0.1").to_double().value(), 0.1);
  EXPECT_EQ(number("+2").to_double().value(), 2);
  EXPECT_EQ(number("-Infinity").to_double().value(), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(number("NaN").to_double().value()));
  EXPECT_EQ(number(std::string(400, '9')).to_double().error().code(), Errc::invalid);
}

TEST(NumericTest, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "-", ".", "1e5", "1,5", " 1", "1 ", "--1", "1.2.3", "nan", "inf", "x"})
    EXPECT_NE(refusal<Numeric>(text), "accepted") << text;
  EXPECT_EQ(refusal<Numeric>("1e5"),
            "a number with a fraction or exponent is not a decimal number");
}

TEST(NumericTest, EqualityAgreesWithWholeNumbers) {
  EXPECT_TRUE(rc::check("scaled", [](std::int64_t left, std::int64_t right) {
    const auto scaled = [](std::int64_t value) { return number(std::to_string(value) + ".000"); };
    RC_ASSERT((scaled(left) == Numeric(right)) == (left == right));
    RC_ASSERT(scaled(left) == Numeric(left));
  }));
}

}  // namespace
}  // namespace forebay::postgres
