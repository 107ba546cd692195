#include "forebay/standin/statements/sql_scanner.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay::standin {
namespace {

using namespace std::string_literals;

std::vector<std::string> tokens_of(const std::string& sql) {
  std::vector<std::string> texts;
  for (const SqlToken& token : scan_sql(sql)) texts.emplace_back(text_of(token, sql));
  return texts;
}

struct ScanCase {
  std::string sql;
  std::vector<std::string> tokens;
};

TEST(SqlScannerTest, KnowsWhatStandsInQuotesAndComments) {
  const std::vector<ScanCase> cases{
      {"", {}},
      {" \t\n\r\f", {}},
      {"SELECT a1$,b", {"SELECT", "a1$", ",", "b"}},
      {"a -- b 'c\nd", {"a", "d"}},
      {"a /* b /* c */ d */ e", {"a", "e"}},
      {"a /* never closed", {"a"}},
      {"a-b", {"a", "-", "b"}},
      {"'it''s' x", {"'it''s'", "x"}},
      {"'a\\' b", {"'a\\'", "b"}},
      {"E'a\\'b' c", {"E'a\\'b'", "c"}},
      {"e'\\\\' c", {"e'\\\\'", "c"}},
      {"'a' -- x\n 'b' c", {"'a' -- x\n 'b'", "c"}},
      {"E'a'\n'\\'b' c", {"E'a'\n'\\'b'", "c"}},
      {"'a' 'b'", {"'a'", "'b'"}},
      {"B'01' x'1F' n'a'", {"B'01'", "x'1F'", "n'a'"}},
      {"U&'d\\0061t' x", {"U", "&", "'d\\0061t'", "x"}},
      {"ee'x'", {"ee", "'x'"}},
      {"\"a\"\"b;\" c", {"\"a\"\"b;\"", "c"}},
      {"$$ ; ' $$ x", {"$$ ; ' $$", "x"}},
      {"$f$ $$ $g$ $f$x", {"$f$ $$ $g$ $f$", "x"}},
      {"$1+$22", {"$1", "+", "$22"}},
      {"a$b$c", {"a$b$c"}},
      {"$ 1", {"$", "1"}},
      {"1.5e-3+.5", {"1.5e-3", "+", ".5"}},
      {"1e+", {"1e", "+"}},
      {"'never closed", {"'never closed"}},
      {"E'\\", {"E'\\"}},
      {"\"never closed", {"\"never closed"}},
      {"$a$ never closed $b$", {"$a$ never closed $b$"}},
      {"größe", {"größe"}},
      {std::string("a\0b", 3), {"a", std::string(1, '\0'), "b"}},
  };

  for (const ScanCase& known : cases) EXPECT_EQ(tokens_of(known.sql), known.tokens) << known.sql;
}

TEST(SqlScannerTest, NamesAreLowerCaseOrAsTheyStandInQuotes) {
  const std::string sql = "Größe \"Say \"\"X\"\"\"";
  const std::vector<SqlToken> tokens = scan_sql(sql);

  EXPECT_EQ(name_of(tokens[0], sql), "größe");
  EXPECT_EQ(name_of(tokens[1], sql), "Say \"X\"");
  EXPECT_EQ(unquoted("'it''s'"), "it's");
  EXPECT_EQ(unquoted("''"), "");
}

TEST(SqlScannerTest, CommentsBecomeBlanks) {
  const std::string sql = "/* a */ SELECT '--', 1 -- b\n/* c\n */;--";
  EXPECT_EQ(without_comments(sql, scan_sql(sql)), "        SELECT '--', 1     \n    \n   ;  ");
}

std::size_t nesting(const std::string& sql) { return nesting_of(scan_sql(sql), sql); }

TEST(SqlScannerTest, ListsAreFlatAndChainsAreDeep) {
  std::string list = "SELECT 1";
  std::string chain = "SELECT 1";
  std::string sets = "SELECT 1, 2";
  for (int i = 0; i < 1000; ++i) {
    list += ", f(1, 2)";
    chain += " + f(1, 2)";
    sets += " UNION SELECT 1, 2";
  }

  EXPECT_LT(nesting(list), 10u);
  EXPECT_GT(nesting(chain), 1000u);
  EXPECT_GT(nesting(sets), 1000u);
  EXPECT_EQ(nesting(std::string(1000, '(')), 1000u);
  EXPECT_EQ(nesting(")))"), 3u);
  EXPECT_EQ(nesting(""), 0u);
}

RC_GTEST_PROP(SqlScannerTest, TokensStandInOrderAndWithinAnyText, ()) {
  const auto sql =
      *rc::gen::container<std::string>(rc::gen::elementOf("'\"$-/*;\\eE aSe1.\n\xc3\xb6(),\0"s));

  std::size_t last = 0;
  for (const SqlToken& token : scan_sql(sql)) {
    RC_ASSERT(token.begin >= last);
    RC_ASSERT(token.end > token.begin);
    RC_ASSERT(token.end <= sql.size());
    last = token.end;
  }
}

}  // namespace
}  // namespace forebay::standin
