#include "forebay/standin/statements/rule_book.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/standin/statements/rule_text.hpp"
#include "support/places.hpp"

namespace forebay::standin {
namespace {

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
  for (const RuleGroup& group : rule_groups())
    rules.insert(rules.end(), group.rules.begin(), group.rules.end());
  return rules;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RuleBookTest, EveryRuleIsWhole) {
  static const std::regex name("[a-z]+(_[a-z]+)*");
  static const std::regex code("[0-9A-Z]{5}");
  static const std::regex date("|20[0-9]{2}-[0-9]{2}-[0-9]{2}");
  const std::vector<Rule> rules = all_rules();

  EXPECT_GT(rules.size(), 80u);
  for (const Rule& rule : rules) {
    EXPECT_TRUE(std::regex_match(std::string(rule.name), name)) << rule.name;
    EXPECT_TRUE(std::regex_match(std::string(rule.sqlstate), code)) << rule.name;
    EXPECT_TRUE(std::regex_match(std::string(rule.since), date)) << rule.name;
    EXPECT_TRUE(std::regex_match(std::string(rule.until), date)) << rule.name;
    EXPECT_FALSE(rule.refuses.empty() || rule.message.empty() || rule.source.empty()) << rule.name;
    EXPECT_FALSE(rule.message.contains('|') || rule.refuses.contains('|')) << "breaks the tables";
    EXPECT_TRUE(rule.until.empty() || rule.since < rule.until) << rule.name;
  }
}

// Rules of one name are about other days.
TEST(RuleBookTest, OnNoDayARuleComesTwice) {
  std::vector<std::string> days{std::string(kRulesKnownSince), std::string(kRulesKnownOn)};
  for (const Rule& rule : all_rules()) {
    if (!rule.since.empty()) days.emplace_back(rule.since);
    if (!rule.until.empty()) days.emplace_back(rule.until);
  }

  for (const std::string& day : days) {
    std::map<std::string_view, int> seen;
    for (const Rule& rule : all_rules()) {
      if (rule.holds_on(day)) {
        EXPECT_EQ(++seen[rule.name], 1) << rule.name << " on " << day;
      }
    }
  }
}

TEST(RuleBookTest, FillsThePlacesOfAText) {
  const RuleBook book;
  const std::optional<Refusal> refusal = book.refusal("column_type", {"money"});
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->message, "datatype money not supported");
  EXPECT_EQ(refusal->sqlstate, "0A000");
  EXPECT_EQ(refusal->rule, "column_type");
  EXPECT_EQ(book.refusal("copy_file", {"TO", "file"})->message, "COPY TO a file not supported");
  EXPECT_EQ(book.refusal("truncate", {"unused"})->message, "unsupported statement: Truncate");
}

TEST(RuleBookTest, ARuleHoldsOnItsDaysAndUnlessItIsOff) {
  EXPECT_TRUE(RuleBook("2026-08-25", {}, {}).refusal("foreign_key").has_value());
  EXPECT_FALSE(RuleBook("2026-08-26", {}, {}).refusal("foreign_key").has_value());
  EXPECT_FALSE(RuleBook("2026-08-25", {"foreign_key"}, {}).refusal("foreign_key").has_value());
  EXPECT_FALSE(RuleBook().refusal("foreign_key").has_value());
  EXPECT_TRUE(RuleBook("2030-01-01", {}, {}).refusal("truncate").has_value());
  EXPECT_EQ(RuleBook("2026-08-24", {}, {}).refusal("locking_clause")->message,
            "locking clauses other than FOR UPDATE are not supported");
}

TEST(RuleBookDeathTest, ANameThatNoRuleHasIsABug) {
  EXPECT_DEATH(RuleBook().refusal("trunkate"), "trunkate");
  EXPECT_DEATH(RuleBook("2026-08-25", {"trunkate"}, {}), "trunkate");
}

TEST(RuleBookTest, TheListingSaysWhichRulesHold) {
  const std::string listing = rule_listing(RuleBook("2026-08-01", {"truncate"}, {}));

  const auto has_line = [&](const std::string& pattern) {
    return std::regex_search(listing, std::regex("\n  " + pattern));
  };
  EXPECT_TRUE(listing.starts_with("Rules of 2026-08-01\n"));
  EXPECT_TRUE(
      has_line("truncate +off +0A000  unsupported statement: Truncate  "
               "\\[emu 2026-09, recorded\\]\n"));
  EXPECT_TRUE(has_line("vacuum +on +0A000 "));
  EXPECT_TRUE(has_line("foreign_key +on .* presumed, until 2026-08-26\\]\n"));
  EXPECT_TRUE(has_line("locking_clause +later "));
  EXPECT_TRUE(has_line("column_default +past "));
  EXPECT_TRUE(has_line("transaction_size .*\\(detail: Current transaction size <size>mb"));
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(listing, '\n')),
            all_rules().size() + 1 + 2 * rule_groups().size());
}

// With FOREBAY_WRITE_DOCS the page gets the tables; without, it must have them.
TEST(RuleBookTest, TheDocumentationHasTheTables) {
  const std::string path = forebay::test::source_file("docs/standin-rules.md");
  const std::string page = text_of_file(path);
  static constexpr std::string_view kBegin = "<!-- rules: made by the tests -->\n\n";
  static constexpr std::string_view kEnd = "\n<!-- end of rules -->\n";
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_LT(begin, end);
  const std::size_t first = begin + kBegin.size();
  if (std::getenv("FOREBAY_WRITE_DOCS") != nullptr)
    std::ofstream(path) << page.substr(0, first) << rule_tables() << page.substr(end);

  EXPECT_EQ(text_of_file(path).substr(first).substr(0, rule_tables().size()), rule_tables());
  EXPECT_TRUE(text_of_file(path).substr(first + rule_tables().size()).starts_with(kEnd));
}

}  // namespace
}  // namespace forebay::standin
