// Each row of docs/misuse.md against the program of that name: it ends soon, in the way that the
// row says, and with its words.
#include <csignal>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/program.hpp"
#include "forebay/embedded/postgres_server.hpp"
#include "support/places.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::misuse {
namespace {

using cli::Program;
using namespace std::chrono_literals;

struct Row {
  std::string program;
  std::string ends;
  std::string says;
};

std::vector<Row> documented() {
  static const std::regex row(R"(\n\| `([a-z-]+)` \| [^|]+ \| (\w+) \| `([^`]+)` \|)");
  const std::string page = cli::text_of(test::source_file("docs/misuse.md"));
  std::vector<Row> rows;
  for (std::sregex_iterator i(page.begin(), page.end(), row), end; i != end; ++i)
    rows.push_back({(*i)[1], (*i)[2], (*i)[3]});
  return rows;
}

// The words of the page as an expression: a place is any place in the misuse programs.
std::string pattern_of(const std::string& says) {
  static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
  const std::string plain = std::regex_replace(says, special, R"(\$&)");
  return std::regex_replace(plain, std::regex("FILE:LINE"), R"(\S*misuse/\w+\.[ch]pp:\d+)");
}

class MisuseTest : public testing::TestWithParam<Row> {
 protected:
  static void SetUpTestSuite() {
    auto launched = embedded::PostgresServer::launch({});
    ASSERT_TRUE(launched) << launched.error().text();
    server_ = std::move(*launched);
  }
  static void TearDownTestSuite() { server_.reset(); }

  static std::vector<std::string> variables() {
    static const test::StandinDynamoWorld world;
    return {"FOREBAY_MISUSE_DYNAMODB=" + world.server.url(), "FOREBAY_MISUSE_TABLE=" + world.table};
  }

  static inline std::unique_ptr<embedded::PostgresServer> server_;
};

TEST_P(MisuseTest, EndsAsThePageSays) {
  Program program({GetParam().program, server_->superuser_url()}, variables());

  const int code = program.wait(60s);

  const std::string said = program.out() + program.err();
  ASSERT_NE(code, -1) << "it hangs, and has said: " << said;
  EXPECT_EQ(code, GetParam().ends == "stops" ? 128 + SIGABRT : 0) << said;
  EXPECT_TRUE(std::regex_search(said, std::regex(pattern_of(GetParam().says)))) << said;
  EXPECT_FALSE(said.contains("not given back")) << said;
}

INSTANTIATE_TEST_SUITE_P(All, MisuseTest, testing::ValuesIn(documented()), [](const auto& row) {
  return std::regex_replace(row.param.program, std::regex("-"), "_");
});

TEST(MisusePageTest, HasEveryProgramAndNoOther) {
  Program list({"--list"});
  ASSERT_EQ(list.wait(), 0);
  std::set<std::string> programs;
  for (const std::string& line : cli::lines_of(list.out())) programs.insert(line);
  std::set<std::string> rows;
  for (const Row& row : documented()) {
    rows.insert(row.program);
    EXPECT_THAT((std::set<std::string>{"works", "error", "log", "stops"}),
                testing::Contains(row.ends));
  }

  EXPECT_GT(programs.size(), 20U);
  EXPECT_EQ(programs, rows);
}

}  // namespace
}  // namespace forebay::misuse
