// What people get wrong in YAML is told in their words, with the line where they did it.
#include <gtest/gtest.h>

#include "forebay/yaml/yaml_tree.hpp"

namespace forebay::test {
namespace {

void expect_problem(const std::string& text, int line, const std::string& problem) {
  const yaml::YamlReading reading = yaml::read_yaml(text);
  EXPECT_EQ(reading.line, line) << text;
  EXPECT_EQ(reading.problem, problem) << text;
}

TEST(YamlMistakesTest, Tabs) {
  const std::string tab = "is indented with a tab, where YAML wants spaces";
  expect_problem("pool:\n\tmax: 3\n", 2, tab);
  expect_problem("pool:\n  max: 3\n \tmin_idle: 3\n", 3, tab);
  expect_problem("pool:\n  max: 3\n\tmin_idle: 3\n", 3, tab);
}

TEST(YamlMistakesTest, QuotesThatAreNeverClosed) {
  const std::string never = "opens a quote that is never closed";
  expect_problem("database:\n  host: \"abc\npool:\n  max: 3\n", 2, never);
  expect_problem("database:\n  host: 'it''s\npool:\n  max: 3\n", 2, never);
  expect_problem("a: \"b\\\"", 1, "opens a quote and does not close it");
}

TEST(YamlMistakesTest, QuotesThatTheNextOneCloses) {
  expect_problem("database:\n  host: \"abc\n  user: \"app\"\n", 2,
                 "opens a quote and does not close it");
}

TEST(YamlMistakesTest, WhatIsAllowedIsNoMistake) {
  for (const std::string text :
       {"a:\t3\n", "a: \"b\n  c\"\n", "a: 'it''s'\n", "\t# a comment\na: 1\n", "a: |\n  b: \"c\n",
        "a: x\"y\n", "a: \"\\\"\"\n", "\"a\": 'b'\n", "a: {b: \"c\", d: 'e'}\n"})
    expect_problem(text, 0, "");
}

}  // namespace
}  // namespace forebay::test
