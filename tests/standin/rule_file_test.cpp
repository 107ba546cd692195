#include "forebay/standin/statements/rule_file.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace forebay::standin {
namespace {

TEST(RuleFileTest, ReadsDateSwitchesAndLimits) {
  const RuleFileReading reading = read_rules(
      "date: 2026-08-01\n"
      "rules:\n"
      "  truncate: off\n"
      "  vacuum: on\n"
      "  temporary_table: false\n"
      "limits:\n"
      "  rows: 100\n"
      "  mebibytes: 2\n"
      "  age: 5s\n",
      "rules.yaml");

  EXPECT_EQ(reading.problems, std::vector<std::string>{});
  EXPECT_EQ(reading.book.date(), "2026-08-01");
  EXPECT_TRUE(reading.book.is_off("truncate"));
  EXPECT_FALSE(reading.book.is_off("vacuum"));
  EXPECT_TRUE(reading.book.is_off("temporary_table"));
  EXPECT_EQ(reading.book.limits().rows, 100);
  EXPECT_EQ(reading.book.limits().mebibytes, 2);
  EXPECT_EQ(reading.book.limits().age, std::chrono::seconds(5));
}

TEST(RuleFileTest, WhatIsNotSaidIsAsToday) {
  for (const char* text : {"", "# nothing\n", "rules:\n  vacuum: on\n"}) {
    const RuleFileReading reading = read_rules(text, "rules.yaml");
    EXPECT_EQ(reading.problems, std::vector<std::string>{}) << text;
    EXPECT_EQ(reading.book.date(), kRulesKnownOn);
    EXPECT_EQ(reading.book.limits().rows, 3000);
    EXPECT_FALSE(reading.book.is_off("truncate"));
  }
}

TEST(RuleFileTest, AllMistakesAreToldAtOnce) {
  const RuleFileReading reading = read_rules(
      "date: 2026-02-30\n"
      "rules:\n"
      "  trunkate: off\n"
      "  vacuum: perhaps\n"
      "  merge: off\n"
      "  merge: on\n"
      "limit: 3\n"
      "limits:\n"
      "  rows: 0\n"
      "  mebibytes: many\n"
      "  age: -1s\n",
      "rules.yaml");

  const std::vector<std::string> begins{
      "rules.yaml:1: date: 2026-02-30 is not a date like 2026-08-01",
      "rules.yaml:3: rules.trunkate: unknown key; did you mean truncate",
      "rules.yaml:4: rules.vacuum: ",
      "rules.yaml:6: rules.merge: given twice, first in line 5",
      "rules.yaml:7: limit: unknown key; did you mean limits",
      "rules.yaml:9: limits.rows: ",
      "rules.yaml:10: limits.mebibytes: ",
      "rules.yaml:11: limits.age: ",
  };
  ASSERT_EQ(reading.problems.size(), begins.size()) << ::testing::PrintToString(reading.problems);
  for (std::size_t i = 0; i < begins.size(); ++i)
    EXPECT_TRUE(reading.problems[i].starts_with(begins[i])) << reading.problems[i];
}

TEST(RuleFileTest, OtherFilesAreRefused) {
  struct Mistake {
    std::string text;
    std::string problem;
  };
  for (const Mistake& mistake : std::vector<Mistake>{
           {"date: 2024-12-01\n", "2024-12-01 is too early: rules are known since 2025-05-27"},
           {"date: soon\n", "soon is not a date"},
           {"date: 2026-8-1\n", "is not a date"},
           {"date: [2026-08-01]\n", "a list stands where a date like 2026-08-01 is expected"},
           {"rules: [truncate]\n", "a list stands where"},
           {"- truncate\n", "a list stands where"},
           {"rules: {a: 'b\n", "rules.yaml:1: "},
           {std::string(300 * 1024, '#'), "has more than 256 KiB"},
       }) {
    const RuleFileReading reading = read_rules(mistake.text, "rules.yaml");
    ASSERT_EQ(reading.problems.size(), 1u) << mistake.text.substr(0, 100);
    EXPECT_TRUE(reading.problems.front().contains(mistake.problem)) << reading.problems.front();
  }
}

TEST(RuleFileTest, FilesThatCannotBeReadAreNamed) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const RuleFileReading absent = read_rule_file((folder / "no-such-rules.yaml").string());
  ASSERT_EQ(absent.problems.size(), 1u);
  EXPECT_TRUE(absent.problems.front().ends_with("no-such-rules.yaml: there is no such file"));
  const RuleFileReading directory = read_rule_file(folder.string());
  ASSERT_EQ(directory.problems.size(), 1u);
  EXPECT_TRUE(directory.problems.front().ends_with("is a folder"));
}

}  // namespace
}  // namespace forebay::standin
