// Parameters in, rows out, through a real server, in both forms.
#include "forebay/postgres/sql/typed_queries.hpp"

#include <bit>
#include <cmath>
#include <ranges>

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "forebay/postgres/sql/sql_types.hpp"
#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

class TypedQueriesTest : public SessionTest {
 protected:
  QueryResult answer(const std::string& sql) {
    Result<QueryResult> result = connection_->exec_blocking(sql, kPatience);
    FOREBAY_CHECK(result.has_value(), result.error().text());
    return std::move(*result);
  }

  // The same value, sent and answered; the cast tells the server its type.
  template <class T>
  Result<T> echo(const T& value, const std::string& type) {
    return connection_->query_one_blocking<T>("SELECT $1::" + type, parameters(value), kPatience);
  }
};

TEST_F(TypedQueriesTest, GiveRowsAsTuples) {
  const std::string sql = "SELECT n, 'text ' || n FROM generate_series(1, $1::int) n";
  const std::vector<std::tuple<std::int64_t, std::string>> expected{{1, "text 1"}, {2, "text 2"}};

  const auto blocking =
      connection_->query_blocking<std::int64_t, std::string>(sql, parameters(2), kPatience);
  const auto task = run(connection_->query<std::int64_t, std::string>(sql, parameters(2), soon()));

  ASSERT_TRUE(blocking && task);
  EXPECT_EQ(*blocking, expected);
  EXPECT_EQ(*task, expected);
}

TEST_F(TypedQueriesTest, GiveTheValuesThemselvesForOneColumn) {
  const auto values = connection_->query_blocking<int>("VALUES (3), (1), (2)", kPatience);
  const auto one = run(connection_->query_one<std::string>("SELECT 'x'", soon()));

  ASSERT_TRUE(values && one);
  EXPECT_EQ(*values, (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(*one, "x");
}

TEST_F(TypedQueriesTest, TellNoRowAndSeveralRowsApart) {
  const std::string sql = "SELECT n FROM generate_series(1, $1::int) n";

  for (const bool is_task : {false, true}) {
    const auto one = [&](int rows) {
      return is_task ? run(connection_->query_one<int>(sql, parameters(rows), soon()))
                     : connection_->query_one_blocking<int>(sql, parameters(rows), kPatience);
    };
    const auto optional = [&](int rows) {
      return is_task ? run(connection_->query_optional<int>(sql, parameters(rows), soon()))
                     : connection_->query_optional_blocking<int>(sql, parameters(rows), kPatience);
    };
    EXPECT_EQ(error_of(one(0)).code(), Errc::not_found);
    EXPECT_EQ(one(1).value(), 1);
    EXPECT_EQ(error_of(one(3)).code(), Errc::invalid);
    EXPECT_EQ(error_of(one(3)).text(), "one row was expected, and there are 3");
    EXPECT_EQ(optional(0).value(), std::nullopt);
    EXPECT_EQ(optional(1).value(), 1);
    EXPECT_EQ(error_of(optional(2)).text(), "one row was expected, and there are 2");
  }
}

TEST_F(TypedQueriesTest, NameTheColumnThatDoesNotFit) {
  const auto text = [this](const std::string& sql) {
    return error_of(connection_->query_blocking<int, int>(sql, kPatience)).text();
  };
  EXPECT_EQ(
      text("SELECT 1 AS a, 'x' AS b"),
      "row 0, column \"b\" (text): a text of 1 bytes is not a whole number from -2147483648 to "
      "2147483647");
  EXPECT_EQ(text("SELECT 1, 2 AS b UNION ALL SELECT 1, NULL"),
            "row 1, column \"b\" (int4): NULL, which only a std::optional can take");
  EXPECT_EQ(text("SELECT 1 AS a, 2147483648 AS b"),
            "row 0, column \"b\" (int8): a whole number of 10 digits is not a whole number from "
            "-2147483648 to 2147483647");
  EXPECT_EQ(
      text("SELECT 1 AS a, ARRAY[1] AS b"),
      "row 0, column \"b\" (int4[]): a text of 3 bytes is not a whole number from -2147483648 "
      "to 2147483647");
  EXPECT_THAT(text("SELECT 1 AS a, '(1,2)'::point AS b"),
              testing::StartsWith("row 0, column \"b\" (type 600): "));
  EXPECT_EQ(text("SELECT 1"), "the statement answers with 1 columns, and 2 types were asked for");
  EXPECT_EQ(text("SET work_mem = '4MB'"),
            "the statement answers with 0 columns, and 2 types were asked for");
}

TEST_F(TypedQueriesTest, PassOnWhatTheServerRefuses) {
  const auto blocking = connection_->query_one_blocking<int>("SELECT 1/0", kPatience);
  const auto task = run(connection_->query<int>("SELECT 1/0", soon()));

  EXPECT_EQ(error_of(blocking).sqlstate(), "22012");
  EXPECT_EQ(error_of(task).sqlstate(), "22012");
  EXPECT_TRUE(connection_->is_usable());
}

TEST_F(TypedQueriesTest, EndAtTheirDeadline) {
  auto holder = hold_lock();
  const auto late = run(connection_->query<std::string>(kWaitForLock, client_.in(50ms)));

  EXPECT_EQ(error_of(late).code(), Errc::timed_out);
  EXPECT_FALSE(connection_->is_usable());

  holder.reset();  // or the session that waits would not end
  connection_ = client_.connect();
  holder = hold_lock();
  const auto blocked = connection_->query_blocking<std::string>(kWaitForLock, 50ms);
  EXPECT_EQ(error_of(blocked).code(), Errc::timed_out);
  EXPECT_FALSE(connection_->is_usable());
}

TEST_F(TypedQueriesTest, RowsAreReadByNumberAndByName) {
  const QueryResult result = answer(
      "SELECT n AS \"Number\", NULL AS nothing "
      "FROM generate_series(1, 3) n");
  int expected = 0;
  for (const Row row : result) {
    ++expected;
    EXPECT_EQ(row.get<int>(0).value(), expected);
    EXPECT_EQ(row.get<int>("Number").value(), expected);
    EXPECT_EQ(row.get<std::optional<int>>("nothing").value(), std::nullopt);
  }
  EXPECT_EQ(expected, 3);
  EXPECT_EQ(result.begin()[2].get<int>(0).value(), 3);
  std::vector<int> backwards;
  for (const Row row : result | std::views::drop(1) | std::views::reverse)
    backwards.push_back(row.get<int>(0).value());
  EXPECT_EQ(backwards, (std::vector<int>{3, 2}));
  EXPECT_EQ(error_of(result[1].get<int>("number")).text(),
            "there is no column \"number\", only \"Number\", \"nothing\"");
  EXPECT_EQ(error_of(result[1].get<int>(2)).text(),
            "there is no column 2: the first is 0, and there are 2");
  EXPECT_EQ(error_of(result[1].get<int>(-1)).code(), Errc::invalid);
}

static_assert(std::ranges::random_access_range<const QueryResult> &&
              std::ranges::sized_range<const QueryResult> &&
              std::ranges::common_range<const QueryResult>);

// A Row, and what it gives, would outlive the result.
template <class R>
concept GivesRows = requires(R&& result) { std::forward<R>(result)[0]; } && requires(R&& result) {
  std::forward<R>(result).begin();
} && requires(R&& result) { std::forward<R>(result).end(); };
template <class R>
concept GivesSomeRows = requires(R&& result) { std::forward<R>(result)[0]; } ||
                        requires(R&& result) { std::forward<R>(result).begin(); } ||
                        requires(R&& result) { std::forward<R>(result).end(); };
static_assert(GivesRows<QueryResult&> && GivesRows<const QueryResult&>);
static_assert(!GivesSomeRows<QueryResult> && !GivesSomeRows<const QueryResult>);

TEST_F(TypedQueriesTest, SpecialValuesComeBackFromTheServer) {
  for (const double value : {0.0, -0.0, 0.1, 1e308, 5e-324, HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(echo(value, "float8").value(), value);
  }
  EXPECT_TRUE(std::isnan(echo(std::nan(""), "float8").value()));
  EXPECT_EQ(echo(3.4028235e38F, "float4").value(), 3.4028235e38F);
  const std::chrono::sys_days day(std::chrono::days(20'000));
  EXPECT_EQ(echo(day, "date").value(), day);
  EXPECT_EQ(echo(day, "timestamp").value(), day);
  EXPECT_EQ(echo(true, "bool").value(), true);
  EXPECT_EQ(echo(false, "bool").value(), false);
  EXPECT_EQ(echo(std::numeric_limits<std::uint64_t>::max(), "numeric").value(),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(echo(std::optional<std::string>(), "text").value(), std::nullopt);
  EXPECT_EQ(echo(std::string("it's \\ \"quoted\"\n\t"), "text").value(), "it's \\ \"quoted\"\n\t");
}

// Points in time that the server can hold: 4713 BC to what 64 bits of microseconds reach.
rc::Gen<Timestamp> server_times() {
  return rc::gen::map(
      rc::gen::inRange<std::int64_t>(-210'866'000'000, 9'000'000'000'000), [](std::int64_t second) {
        return Timestamp(std::chrono::microseconds(second * 1'000'000 + second % 999'983));
      });
}

// A few hundred values in one statement: one parameter and one row each.
template <class T>
void expect_all_come_back(LibpqConnection& connection, const rc::Gen<T>& gen,
                          const std::string& type) {
  static constexpr std::size_t kValues = 300;
  std::string rows;
  for (std::size_t number = 1; number <= kValues; ++number) {
    rows += (number == 1 ? "($" : ", ($") + std::to_string(number) + "::" + type + ")";
  }
  const std::string sql = "SELECT * FROM (VALUES " + rows + ") v";
  EXPECT_TRUE(rc::check(type, [&] {
    // Hundreds of values would take minutes to shrink, and the error names the one.
    const auto values = *rc::gen::noShrink(rc::gen::container<std::vector<T>>(kValues, gen));
    Parameters texts;
    for (const T& value : values) texts.push_back(to_sql(value));
    const auto back = connection.query_blocking<T>(sql, texts, kPatience);
    if (!back) RC_FAIL(back.error().text());
    RC_ASSERT(*back == values);
  }));
}

TEST_F(TypedQueriesTest, AnyValuesComeBackFromTheServer) {
  const auto letters = rc::gen::inRange<char>(1, 127);
  expect_all_come_back(*connection_, rc::gen::arbitrary<std::int64_t>(), "int8");
  expect_all_come_back(*connection_, rc::gen::container<std::string>(letters), "text");
  expect_all_come_back(*connection_,
                       rc::gen::map(rc::gen::arbitrary<std::vector<std::uint8_t>>(),
                                    [](const std::vector<std::uint8_t>& numbers) {
                                      const auto* data =
                                          reinterpret_cast<const std::byte*>(numbers.data());
                                      return std::vector<std::byte>(data, data + numbers.size());
                                    }),
                       "bytea");
  expect_all_come_back(*connection_,
                       rc::gen::suchThat(rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                                                      [](std::uint64_t bits) {
                                                        return std::bit_cast<double>(bits);
                                                      }),
                                         [](double value) { return !std::isnan(value); }),
                       "float8");
  expect_all_come_back(*connection_, server_times(), "timestamptz");
  expect_all_come_back(*connection_,
                       rc::gen::map(rc::gen::arbitrary<Uuid::Bytes>(),
                                    [](const Uuid::Bytes& bytes) { return Uuid(bytes); }),
                       "uuid");
}

TEST_F(TypedQueriesTest, PointsInTimeComeBackWhateverTheTimeZone) {
  for (const char* zone : {"UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Apia"}) {
    run(std::string("SET TimeZone = '") + zone + "'");
    expect_all_come_back(*connection_, server_times(), "timestamptz");
  }
}

}  // namespace
}  // namespace forebay::postgres
