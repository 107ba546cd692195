// Enums by their labels, without a server.
#include "forebay/postgres/sql/sql_enum.hpp"

#include <gtest/gtest.h>

#include "forebay/postgres/sql/sql_array.hpp"
#include "postgres/colour.hpp"
#include "postgres/sql_values.hpp"

namespace forebay::postgres {
namespace {

TEST(SqlEnumTest, ValuesTravelAsLabels) {
  EXPECT_EQ(to_sql(Colour::deep_blue), "deep blue");
  EXPECT_EQ(from_sql<Colour>("red").value(), Colour::red);
  expect_exact(std::optional<Colour>(Colour::deep_blue));
  expect_exact(std::vector<Colour>{Colour::red, Colour::deep_blue});
  EXPECT_EQ(refusal<Colour>("Red"), "a text of 3 bytes is not a label of its EnumLabels");
  enum class Other : std::uint8_t { one };
  static_assert(!SqlWritable<Other> && !SqlReadable<Other>);
}

TEST(SqlEnumTest, AValueWithoutLabelStopsTheProcess) {
  EXPECT_DEATH(to_sql(static_cast<Colour>(7)), "an enum whose value is 7 was sent");
}

}  // namespace
}  // namespace forebay::postgres
