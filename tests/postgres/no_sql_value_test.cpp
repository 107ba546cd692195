// What the compiler says to a type of which nobody has told how it is written for the server. The
// sentence is for people, and is the only error.
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/embedded/server_files.hpp"
#include "support/places.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;

// What the compiler wrote; empty: it has nothing against such an expression.
std::string refusal_of(const std::string& expression) {
  const auto folder = embedded::TemporaryFolder::make(std::nullopt, "forebay-compile");
  EXPECT_TRUE(folder.has_value());
  const std::filesystem::path file = (*folder)->path() / "program.cpp";
  std::ofstream(file) << "#include \"forebay/postgres/sql/parameters.hpp\"\n"
                         "#include \"forebay/postgres/sql/row_of.hpp\"\n"
                         "#include \"forebay/postgres/sql/sql_array.hpp\"\n"
                         "using namespace forebay::postgres;\n"
                         "class Colour {};\n"
                         "struct Empty {};\n"
                         "struct Painted { int number; Colour colour; };\n"
                         "struct Big { int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q; };\n"
                         "struct Read {\n"
                         "  template <class T>\n"
                         "  forebay::Result<T> operator()(std::size_t) const {\n"
                         "    return from_sql<T>(\"x\");\n"
                         "  }\n"
                         "};\n"
                         "const auto value = "
                      << expression << ";\n";
  embedded::Command command;
  command.words = {FOREBAY_COMPILER,
                   "-std=c++23",
                   "-fsyntax-only",
                   "-I" + test::source_file("src"),
                   "-I" + test::source_file("include"),
                   file.string()};
  command.output = (*folder)->path() / "output";
  const Result<void> done = embedded::run_to_end(command, std::chrono::seconds(120));
  return done ? "" : embedded::read_file(command.output);
}

int errors_in(const std::string& output) {
  int errors = 0;
  for (std::size_t at = output.find("error:"); at != std::string::npos;
       at = output.find("error:", at + 1))
    ++errors;
  return errors;
}

TEST(NoSqlValueTest, TheCompilerSaysWhatToDo) {
  EXPECT_EQ(refusal_of("parameters(7, \"x\", std::nullopt, std::optional<bool>())"), "");
  for (const char* wrong : {"parameters(7, Colour())", "parameters(std::optional<Colour>())",
                            "parameters(std::vector<Colour>())",
                            "parameters(std::vector<std::optional<std::vector<int>>>())"}) {
    const std::string refusal = refusal_of(wrong);
    EXPECT_THAT(refusal, HasSubstr("cannot be a parameter of a statement: it has no SqlValue. "
                                   "Specialize forebay::postgres::SqlValue for it"));
    EXPECT_EQ(errors_in(refusal), 1) << refusal;
  }
  for (const char* wrong :
       {"from_sql<std::optional<Colour>>(\"x\")", "from_sql<std::string_view>(\"x\")",
        "from_sql<std::vector<std::string_view>>(\"{}\")", "read_row<Painted>(Read())"}) {
    const std::string refusal = refusal_of(wrong);
    EXPECT_THAT(refusal, HasSubstr("cannot be read from a row: it has no SqlValue, or one that "
                                   "only sends."));
    EXPECT_THAT(refusal, HasSubstr("a text is read as std::string"));
    EXPECT_EQ(errors_in(refusal), 1) << refusal;
  }
}

TEST(NoSqlValueTest, StructsThatAreNoRowsAreToldWhy) {
  const std::string empty = refusal_of("read_row<Empty>(Read())");
  EXPECT_THAT(empty, HasSubstr("this struct cannot be a row: it has no fields"));
  EXPECT_EQ(errors_in(empty), 1) << empty;
  const std::string big = refusal_of("read_row<Big>(Read())");
  EXPECT_THAT(big, HasSubstr("this struct has more than 16 fields. Specialize "
                             "forebay::postgres::RowColumns for it"));
  EXPECT_EQ(errors_in(big), 1) << big;
}

}  // namespace
}  // namespace forebay::test
