// Rows as structs, by position and by name, from a real server.
#include "forebay/postgres/sql/row_struct.hpp"

#include <ranges>

#include "forebay/postgres/sql/sql_types.hpp"
#include "postgres/colour.hpp"
#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

struct Planet {
  std::string name;
  int moons = 0;
  std::optional<std::string> note;

  friend bool operator==(const Planet&, const Planet&) = default;
};

struct Sixteen {
  int a;
  std::optional<int> b;
  std::string c;
  std::vector<int> d;
  std::vector<std::optional<std::string>> e;
  std::chrono::year_month_day f;
  Timestamp g;
  Numeric h;
  Interval i;
  Uuid j;
  bool k;
  double l;
  std::vector<std::byte> m;
  Colour n;
  const int o;
  std::optional<std::vector<std::int64_t>> p;
};

}  // namespace

// Read by name. No aggregate, and with a field that is no column.
class Moon {
 public:
  Moon() = default;
  const std::string& name() const { return name_; }
  int radius() const { return radius_; }
  bool is_seen() const { return is_seen_; }

 private:
  friend struct RowColumns<Moon>;
  std::string name_;
  int radius_ = 0;
  bool is_seen_ = true;
};

template <>
struct RowColumns<Moon> {
  static constexpr std::tuple columns{Column{"radius_km", &Moon::radius_},
                                      Column{"name", &Moon::name_}};
};

namespace {

class RowStructTest : public SessionTest {
 protected:
  template <class T>
  Result<std::vector<T>> all(const std::string& sql) {
    return connection_->query_blocking<T>(sql, kPatience);
  }
};

const std::string kPlanets = "VALUES ('Mars', 2, 'red'), ('Venus', 0, NULL)";
const std::vector<Planet> kExpected{{"Mars", 2, "red"}, {"Venus", 0, std::nullopt}};

TEST_F(RowStructTest, FieldsAreColumnsInTheirOrder) {
  EXPECT_EQ(all<Planet>(kPlanets).value(), kExpected);
  EXPECT_EQ(run(connection_->query<Planet>(kPlanets, soon())).value(), kExpected);
  EXPECT_EQ(run(connection_->query_one<Planet>(kPlanets + " LIMIT 1", soon())).value(),
            kExpected[0]);
  EXPECT_EQ(connection_->query_optional_blocking<Planet>(kPlanets + " LIMIT 0", kPatience).value(),
            std::nullopt);
  EXPECT_EQ(
      connection_->query_one_blocking<Planet>(kPlanets + " LIMIT 0", kPatience).error().code(),
      Errc::not_found);
}

TEST_F(RowStructTest, RowsAreARangeOfStructs) {
  const Result<QueryResult> result = connection_->exec_blocking(kPlanets, kPatience);
  ASSERT_TRUE(result);
  std::vector<std::string> names;
  for (const auto& [name, moons, note] :
       *result | std::views::transform([](Row row) { return row.as<Planet>().value(); }))
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"Mars", "Venus"}));
}

TEST_F(RowStructTest, SixteenFieldsOfEveryKindAreTaken) {
  run("DROP TYPE IF EXISTS pg_temp.colour");
  run("CREATE TYPE pg_temp.colour AS ENUM ('red', 'deep blue')");
  const auto rows = all<Sixteen>(
      "SELECT 1, NULL, 'x', ARRAY[1,2], ARRAY['a', NULL], DATE '2025-11-15', "
      "TIMESTAMPTZ '1970-01-01 00:00:01+00', 1.50, INTERVAL '1 day', "
      "'550e8400-e29b-41d4-a716-446655440000'::uuid, true, 0.5, '\\x00'::bytea, "
      "'deep blue'::pg_temp.colour, 15, ARRAY[]::int8[]");
  ASSERT_TRUE(rows) << rows.error().text();
  const Sixteen& row = rows->at(0);
  EXPECT_EQ(row.b, std::nullopt);
  EXPECT_EQ(row.d, (std::vector<int>{1, 2}));
  EXPECT_EQ(row.e, (std::vector<std::optional<std::string>>{"a", std::nullopt}));
  EXPECT_EQ(row.h.text(), "1.50");
  EXPECT_EQ(row.i.days, 1);
  EXPECT_EQ(row.n, Colour::deep_blue);
  EXPECT_EQ(row.o, 15);
  EXPECT_TRUE(row.p && row.p->empty());
}

TEST_F(RowStructTest, WhatDoesNotFitIsToldByColumn) {
  EXPECT_EQ(all<Planet>("SELECT 'Mars', 2").error().text(),
            "the statement answers with 2 columns, and the struct for its rows has 3 fields");
  EXPECT_EQ(all<Planet>("SELECT 'Mars', 2, NULL, 4").error().text(),
            "the statement answers with 4 columns, and the struct for its rows has 3 fields");
  EXPECT_EQ(all<Planet>("SELECT 'Mars', NULL AS moons, NULL").error().text(),
            "row 0, column \"moons\" (text): NULL, which only a std::optional can take");
  EXPECT_EQ(all<Planet>("SELECT 'Mars', 'two' AS moons, NULL").error().text(),
            "row 0, column \"moons\" (text): a text of 3 bytes is not a whole number from "
            "-2147483648 to 2147483647");
  EXPECT_EQ(
      all<Planet>("SELECT 'Mars', 3000000000 AS moons, NULL").error().text(),
      "row 0, column \"moons\" (int8): a whole number of 10 digits is not a whole number from "
      "-2147483648 to 2147483647");
}

TEST_F(RowStructTest, NamesFindTheirColumnsInAnyOrder) {
  for (const char* sql : {"SELECT 'Deimos' AS name, 6 AS radius_km",
                          "SELECT 6 AS radius_km, now() AS added_later, 'Deimos' AS name"}) {
    const auto moon = connection_->query_one_blocking<Moon>(sql, kPatience);
    ASSERT_TRUE(moon) << moon.error().text();
    EXPECT_EQ(moon->name(), "Deimos");
    EXPECT_EQ(moon->radius(), 6);
    EXPECT_TRUE(moon->is_seen());
  }
  const auto moons = run(connection_->query<Moon>(
      "SELECT n AS radius_km, 'm' || n AS name FROM generate_series(1, 3) n", soon()));
  ASSERT_TRUE(moons) << moons.error().text();
  EXPECT_EQ(moons->at(2).name(), "m3");
}

TEST_F(RowStructTest, NamesThatAreMissingOrTwiceAreErrors) {
  EXPECT_EQ(all<Moon>("SELECT 1 AS radius, 'x' AS name").error().text(),
            "there is no column \"radius_km\", only \"radius\", \"name\"");
  EXPECT_EQ(all<Moon>("SELECT 'a' AS name, 1 AS radius_km, 'b' AS name").error().text(),
            "columns 0 and 2 are both called \"name\", and one is wanted");
  EXPECT_EQ(all<Moon>("SELECT 'x' AS name, NULL::int AS radius_km").error().text(),
            "row 0, column \"radius_km\" (int4): NULL, which only a std::optional can take");
  // Also where there are no rows to read.
  EXPECT_EQ(
      connection_->query_optional_blocking<Moon>("SELECT 1 WHERE false", kPatience).error().code(),
      Errc::invalid);
}

}  // namespace
}  // namespace forebay::postgres
