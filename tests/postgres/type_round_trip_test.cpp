// Every type there and back through a real server, at its limits, by chance, and whatever the
// session is set to.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "forebay/postgres/sql/sql_types.hpp"
#include "postgres/colour.hpp"
#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

using namespace std::chrono;
using testing::HasSubstr;

class TypeRoundTripTest : public SessionTest {
 protected:
  // What C++ sends is what the literal means to the server, and both come back as sent.
  template <class T>
  void expect_means(const T& value, const std::string& type, const std::string& literal) {
    SCOPED_TRACE(literal + "::" + type);
    const auto row = connection_->query_one_blocking<bool, T, T>(
        "SELECT $1::" + type + " IS NOT DISTINCT FROM $2::" + type + ", $1::" + type +
            ", $2::" + type,
        parameters(value, literal), kPatience);
    ASSERT_TRUE(row) << row.error().text();
    EXPECT_TRUE(std::get<0>(*row)) << to_sql(value).value_or("NULL");
    EXPECT_EQ(std::get<1>(*row), value);
    EXPECT_EQ(std::get<2>(*row), value);
  }

  template <class T>
  std::string refusal_of(const std::string& expression) {
    return error_of(connection_->query_one_blocking<T>("SELECT " + expression + " AS v", kPatience))
        .text();
  }

  // Many at once, as one array, which makes them elements too.
  template <class T>
  void expect_any_come_back(const rc::Gen<T>& gen, const std::string& type) {
    EXPECT_TRUE(rc::check(type, [&] {
      const auto values = *rc::gen::noShrink(rc::gen::container<std::vector<T>>(50, gen));
      const auto back = connection_->query_one_blocking<std::vector<T>>(
          "SELECT $1::" + type + "[]", parameters(values), kPatience);
      if (!back) RC_FAIL(back.error().text());
      RC_ASSERT(*back == values);
    }));
  }
};

TEST_F(TypeRoundTripTest, NumbersMeanWhatTheyMean) {
  expect_means(std::numeric_limits<std::int64_t>::min(), "int8", "-9223372036854775808");
  expect_means(std::int16_t{-32768}, "int2", "-32768");
  expect_means(std::uint32_t{4294967295}, "oid", "4294967295");
  expect_means(0.1, "float8", "0.1");
  expect_means(std::numeric_limits<double>::denorm_min(), "float8", "5e-324");
  expect_means(-HUGE_VAL, "float8", "-Infinity");
  expect_means(0.1F, "float4", "0.1");
  for (const std::string text :
       {"0", "1.50", "-0.000001", "123456789012345678901234567890.123456789012345678901234567890",
        "NaN", "Infinity", "-Infinity"}) {
    const Numeric number = Numeric::parse(text).value();
    expect_means(number, "numeric", text);
    EXPECT_EQ(connection_
                  ->query_one_blocking<Numeric>("SELECT $1::numeric", parameters(number), kPatience)
                  .value()
                  .text(),
              text);
  }
}

TEST_F(TypeRoundTripTest, TextsBytesAndIdsMeanWhatTheyMean) {
  expect_means(std::string("it's \\ \"q\"\n\t é"), "text", "it's \\ \"q\"\n\t é");
  expect_means(std::vector<std::byte>(), "bytea", "");
  expect_means(std::vector<std::byte>{std::byte{0}, std::byte{255}, std::byte{'\\'}}, "bytea",
               "\\000\\377\\\\");
  expect_means(true, "bool", "yes");
  expect_means(Uuid::parse("550e8400-e29b-41d4-a716-446655440000").value(), "uuid",
               "{550E8400E29B41D4A716446655440000}");
}

TEST_F(TypeRoundTripTest, NullIsWhatHasNoValue) {
  const auto row = connection_->query_one_blocking<bool, bool, bool, std::optional<Interval>>(
      "SELECT $1::int IS NULL, $2::text IS NULL, $3::date IS NULL, $4::interval",
      parameters(nullptr, std::nullopt, std::optional<year_month_day>(), nullptr), kPatience);
  ASSERT_TRUE(row) << row.error().text();
  EXPECT_EQ(*row, std::make_tuple(true, true, true, std::optional<Interval>()));
}

TEST_F(TypeRoundTripTest, TimesMeanWhatTheyMean) {
  run("SET TimeZone = 'America/St_Johns'");
  expect_means(Timestamp(microseconds(-1)), "timestamptz", "1969-12-31 23:59:59.999999 UTC");
  expect_means(sys_time<microseconds>(sys_days(-4712y / January / 1)), "timestamptz",
               "4713-01-01 00:00:00+00 BC");
  expect_means(sys_seconds(sys_days(9999y / December / 31)), "timestamptz", "9999-12-31 00:00Z");
  expect_means(local_time<microseconds>(local_days(2025y / March / 9) + 2h + 30min), "timestamp",
               "2025-03-09 02:30");
  expect_means(local_time<microseconds>(local_days(-43y / March / 15) + 1us), "timestamp",
               "0044-03-15 00:00:00.000001 BC");
  expect_means(local_seconds(9'224'317'929'600s), "timestamp", "294276-12-31 00:00:00");
  expect_means(year_month_day(-4712y / January / 1), "date", "4713-01-01 BC");
  expect_means(year_month_day(2024y / February / 29), "date", "2024-02-29");
  expect_means(year_month_day(32767y / December / 31), "date", "32767-12-31");
  expect_means(sys_days(2025y / November / 15), "date", "2025-11-15");
  expect_means(microseconds(0), "time", "00:00");
  expect_means(microseconds(24h), "time", "24:00");
  expect_means(microseconds(23h + 59min + 59s + 999'999us), "time", "23:59:59.999999");
}

TEST_F(TypeRoundTripTest, WhatTheCalendarCannotHoldIsAnError) {
  EXPECT_EQ(refusal_of<Timestamp>("'infinity'::timestamptz"),
            "row 0, column \"v\" (timestamptz): infinity is not a point in time as DateStyle = ISO "
            "writes it");
  EXPECT_EQ(refusal_of<year_month_day>("'-infinity'::date"),
            "row 0, column \"v\" (date): -infinity is not a date as DateStyle = ISO writes it");
  EXPECT_THAT(refusal_of<year_month_day>("'5874897-12-31'::date"),
              HasSubstr("(date): a date after"));
  EXPECT_EQ(
      connection_->query_one_blocking<sys_days>("SELECT '5874897-12-31'::date", kPatience).value(),
      sys_days(days(2'145'042'905)));
  EXPECT_THAT(refusal_of<Timestamp>("'294276-12-31'::timestamp"), HasSubstr("too far away"));
  EXPECT_THAT(refusal_of<local_seconds>("now()"), HasSubstr("(timestamptz): a point in time with"));
  EXPECT_THAT(refusal_of<hh_mm_ss<microseconds>>("'12:00+02'::timetz"),
              HasSubstr("(timetz): a text of 11 bytes is not a time of day without an offset"));
  const auto no_day = connection_->query_one_blocking<year_month_day>(
      "SELECT $1::date", parameters(year_month_day(2025y / February / 30)), kPatience);
  EXPECT_EQ(error_of(no_day).sqlstate(), "22008");
  const auto too_far = connection_->query_one_blocking<Timestamp>(
      "SELECT $1::timestamptz", parameters(sys_time<hours>(hours::max())), kPatience);
  EXPECT_EQ(error_of(too_far).sqlstate(), "22008");
}

TEST_F(TypeRoundTripTest, IntervalsComeBackInEveryStyle) {
  using Days = std::numeric_limits<std::int32_t>;
  for (const char* style : {"postgres", "postgres_verbose", "sql_standard", "iso_8601"}) {
    SCOPED_TRACE(style);
    run(std::string("SET IntervalStyle = ") + style);
    expect_means(Interval(), "interval", "PT0S");
    expect_means(Interval{14, -3, 4h + 5min + 6s + 7us}, "interval", "P14M-3DT4H5M6.000007S");
    expect_means(Interval{-14, 3, -1us}, "interval", "P-14M3DT-0.000001S");
    expect_means(Interval{0, -3, -4h}, "interval", "P-3DT-4H");
    expect_means(Interval{-1, 0, 0us}, "interval", "P-1M");
    expect_means(-90min, "interval", "PT-1H-30M");
    expect_means(microseconds(100'000h), "interval", "PT100000H");
    const auto part = rc::gen::inRange(Days::min() / 2, Days::max() / 2);
    expect_any_come_back(
        rc::gen::map(rc::gen::tuple(part, part, rc::gen::arbitrary<std::int32_t>(), part),
                     [](const auto& parts) {
                       const auto& [months, days, seconds, micros] = parts;
                       return Interval{months, days,
                                       microseconds(seconds * std::int64_t{1'000'003} + micros)};
                     }),
        "interval");
  }
  EXPECT_THAT(refusal_of<seconds>("interval '1 day'"), HasSubstr("read it as a forebay::postgres"));
}

TEST_F(TypeRoundTripTest, OtherDateStylesAreSentAndRefusedToBeRead) {
  for (const char* style : {"SQL, DMY", "SQL, MDY", "German", "Postgres, MDY", "Postgres, DMY"}) {
    SCOPED_TRACE(style);
    run(std::string("SET DateStyle = '") + style + "'");
    const auto same = connection_->query_one_blocking<bool, bool, bool>(
        "SELECT $1::date = make_date(2025, 2, 3), $2::timestamptz = to_timestamp(7), "
        "$3::timestamp = make_timestamp(2025, 2, 3, 4, 5, 6)",
        parameters(year_month_day(2025y / February / 3), sys_seconds(7s),
                   local_seconds(local_days(2025y / February / 3) + 4h + 5min + 6s)),
        kPatience);
    EXPECT_EQ(same.value(), std::make_tuple(true, true, true));
    EXPECT_THAT(refusal_of<year_month_day>("make_date(2025, 2, 3)"), HasSubstr("DateStyle = ISO"));
    EXPECT_THAT(refusal_of<Timestamp>("now()"), HasSubstr("DateStyle = ISO"));
    EXPECT_THAT(refusal_of<local_seconds>("now()::timestamp"), HasSubstr("DateStyle = ISO"));
    EXPECT_EQ(connection_->query_one_blocking<seconds>("SELECT '1:02:03'::time", kPatience).value(),
              1h + 2min + 3s);
  }
}

TEST_F(TypeRoundTripTest, OtherSettingsAreReadOrToldOf) {
  run("SET bytea_output = escape");
  EXPECT_THAT(
      refusal_of<std::vector<std::byte>>("'\\x0041'::bytea"),
      HasSubstr("(bytea): a text of 5 bytes is not bytes in hexadecimal form (bytea_output"));
  for (const int digits : {-15, 0, 3}) {
    run("SET extra_float_digits = " + std::to_string(digits));
    const auto third =
        connection_->query_one_blocking<double>("SELECT 1e40::float8 / 3", kPatience);
    EXPECT_NEAR(third.value(), 1e40 / 3, 1e40);
  }
  run("SET client_encoding = SJIS");
  EXPECT_THAT(refusal_of<std::vector<std::string>>("ARRAY[U&'\\8868']"),
              HasSubstr("(text[]): a text of 4 bytes is not an array (with commas, and in a "
                        "client_encoding"));
  run("SET client_encoding = LATIN1");
  EXPECT_EQ(
      connection_
          ->query_one_blocking<std::vector<std::string>>("SELECT ARRAY[U&'\\00e9']", kPatience)
          .value(),
      std::vector<std::string>{"\xe9"});
}

TEST_F(TypeRoundTripTest, ArraysMeanWhatTheyMean) {
  using MaybeTexts = std::vector<std::optional<std::string>>;
  expect_means(std::vector<int>(), "int4[]", "{}");
  expect_means(std::vector<int>{1, 2, 3}, "int4[]", "{1,2,3}");
  expect_means(std::vector<std::vector<int>>{{1, 2}, {3, 4}}, "int4[]", "{{1,2},{3,4}}");
  expect_means(MaybeTexts{"", std::nullopt, "NULL", "null", "a,b", "\"", "\\", "{}", " ", "é"},
               "text[]", R"({"",NULL,"NULL","null","a,b","\"","\\","{}"," ",é})");
  expect_means(std::vector<std::vector<std::byte>>{{}, {std::byte{0}}}, "bytea[]",
               R"({"","\\x00"})");
  expect_means(std::vector<std::optional<Timestamp>>{Timestamp(1us), std::nullopt}, "timestamptz[]",
               R"({"1970-01-01 00:00:00.000001Z",NULL})");
  expect_means(std::vector<std::vector<std::vector<bool>>>{{{true}, {false}}}, "bool[]",
               "{{{t},{f}}}");
  expect_means(std::vector<std::string>{"b", "a"}, "varchar[]", "{b,a}");
  EXPECT_EQ(
      connection_->query_one_blocking<std::vector<int>>("SELECT '[5:6]={7,8}'::int[]", kPatience)
          .value(),
      (std::vector<int>{7, 8}));
  EXPECT_EQ(connection_
                ->query_blocking<int>("SELECT n FROM generate_series(1, 9) n WHERE n = ANY($1)",
                                      parameters(std::vector<int>{7, 3, 42}), kPatience)
                .value(),
            (std::vector<int>{3, 7}));
  const auto ragged = connection_->query_one_blocking<int>(
      "SELECT cardinality($1::int[])", parameters(std::vector<std::vector<int>>{{1}, {2, 3}}),
      kPatience);
  EXPECT_EQ(error_of(ragged).sqlstate(), "22P02");
}

TEST_F(TypeRoundTripTest, EnumsAreReadAndSentByLabel) {
  run("CREATE TYPE pg_temp.colour AS ENUM ('red', 'deep blue', 'grey')");
  expect_means(Colour::deep_blue, "pg_temp.colour", "deep blue");
  expect_means(std::vector<std::optional<Colour>>{Colour::deep_blue, std::nullopt, Colour::red},
               "pg_temp.colour[]", "{\"deep blue\",NULL,red}");
  EXPECT_THAT(refusal_of<Colour>("'grey'::pg_temp.colour"),
              HasSubstr("): a text of 4 bytes is not a label of its EnumLabels"));
}

TEST_F(TypeRoundTripTest, AnyValuesComeBackAsElements) {
  const auto letters = rc::gen::elementOf(std::string("{},\"\\ \t\nNULnul'x="));
  const auto text = rc::gen::container<std::string>(letters);
  expect_any_come_back(rc::gen::map(text,
                                    [](std::string value) {
                                      return value == "x" ? std::optional<std::string>()
                                                          : std::optional(value);
                                    }),
                       "text");
  expect_any_come_back(rc::gen::map(rc::gen::inRange(-2'400'000, 11'000'000),
                                    [](int day) { return year_month_day(sys_days(days(day))); }),
                       "date");
  expect_any_come_back(
      rc::gen::map(
          rc::gen::inRange<std::int64_t>(-210'866'000'000'000'000, 9'000'000'000'000'000'000),
          [](std::int64_t count) { return local_time<microseconds>(microseconds(count)); }),
      "timestamp");
  expect_any_come_back(rc::gen::map(rc::gen::inRange<std::int64_t>(0, 86'400'000'001),
                                    [](std::int64_t count) { return microseconds(count); }),
                       "time");
  expect_any_come_back(
      rc::gen::map(
          rc::gen::pair(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange(0, 1'000'000)),
          [](const auto& parts) {
            return Numeric::parse(std::to_string(parts.first) + "." + std::to_string(parts.second))
                .value();
          }),
      "numeric");
}

}  // namespace
}  // namespace forebay::postgres
