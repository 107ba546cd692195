// The text format of COPY, without a server.
#include "forebay/postgres/sql/copy_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace forebay::postgres {
namespace {

TEST(CopyTextTest, WritesARowAsPostgresqlDoes) {
  std::string chunk = "before\n";
  append_copy_row(chunk, 1, "a\tb\n\\N", std::nullopt, true, std::string());
  append_copy_row(chunk, "\b\f\r\v");

  EXPECT_EQ(chunk, "before\n1\ta\\tb\\n\\\\N\t\\N\ttrue\t\n\\b\\f\\r\\v\n");
}

TEST(CopyTextTest, ReadsARowAsValues) {
  const auto row = parse_copy_row<int, std::optional<std::string>, std::string>("7\t\\N\tx\\ty\n");
  ASSERT_TRUE(row) << row.error().text();
  EXPECT_EQ(*row, std::make_tuple(7, std::optional<std::string>(), std::string("x\ty")));
  EXPECT_EQ(parse_copy_row<int>("7\n").value(), 7);
}

TEST(CopyTextTest, ReadsARowAsAStruct) {
  struct Copied {
    int number;
    std::optional<std::string> text;
  };
  const auto row = parse_copy_row<Copied>("7\tx\n");
  ASSERT_TRUE(row) << row.error().text();
  EXPECT_EQ(row->number, 7);
  EXPECT_EQ(row->text, "x");
  EXPECT_EQ(parse_copy_row<Copied>("7\n").error().text(),
            "a copied row has 1 fields, and 2 types were asked for");
}

template <class... T>
std::string copy_refusal(std::string_view line) {
  const auto row = parse_copy_row<T...>(line);
  if (row) return "accepted";
  EXPECT_EQ(row.error().code(), Errc::invalid);
  return row.error().text();
}

TEST(CopyTextTest, SaysWhatDoesNotFit) {
  EXPECT_EQ((copy_refusal<int, int>("1\n")),
            "a copied row has 1 fields, and 2 types were asked for");
  EXPECT_EQ((copy_refusal<int, bool>("1\tx\n")),
            "field 1 of a copied row: a text of 1 bytes is not true or false");
  EXPECT_EQ(copy_refusal<int>("\\N\n"),
            "field 0 of a copied row: NULL, which only a std::optional can take");
  EXPECT_EQ(copy_refusal<int>("1"), "a copied row does not end its line");
  EXPECT_EQ(copy_refusal<int>(""), "a copied row does not end its line");
  for (const char* line : {"\\\n", "\\x41\n", "a\\qb\n"}) {
    EXPECT_EQ(copy_refusal<std::string>(line),
              "a backslash in a copied row stands for nothing known");
  }
}

TEST(CopyTextTest, AnyFieldsComeBack) {
  EXPECT_TRUE(rc::check("fields", [] {
    const auto strange = rc::gen::element('\\', '\t', '\n', 'N', '.', 'x', '\0', '\r', 'n');
    const auto field = rc::gen::oneOf(
        rc::gen::just(std::optional<std::string>()),
        rc::gen::map(rc::gen::container<std::string>(strange),
                     [](std::string text) { return std::optional(std::move(text)); }));
    const auto fields = *rc::gen::nonEmpty(rc::gen::container<CopyFields>(field));
    std::string line;
    append_copy_fields(line, fields);
    RC_ASSERT(line.find('\n') == line.size() - 1);
    RC_ASSERT(parse_copy_fields(line).value() == fields);
  }));
}

}  // namespace
}  // namespace forebay::postgres
