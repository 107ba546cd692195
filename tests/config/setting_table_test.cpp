// The table: what is written is read back, and every name is used once.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "config/reading.hpp"
#include "forebay/config/reference.hpp"
#include "forebay/config/route_text.hpp"
#include "forebay/config/session_settings_text.hpp"
#include "forebay/config/setting.hpp"

namespace forebay::config {
namespace {

std::vector<std::string> words_of(const Settings& settings) {
  std::vector<std::string> words;
  for (const Setting& setting : all_settings()) words.push_back(setting.value.word(settings));
  return words;
}

// A word that the setting can be, by its type.
std::string random_word(const Setting& setting) {
  const std::string_view type = setting.value.type;
  if (type == "true or false") return *rc::gen::arbitrary<bool>() ? "true" : "false";
  if (type == "whole number") return std::to_string(*rc::gen::arbitrary<int>());
  if (type == "number") return std::to_string(*rc::gen::inRange(-1000, 1'000'000) / 8.0);
  const bool is_stuck_close = type.starts_with("keep_place");
  if (is_stuck_close && *rc::gen::arbitrary<bool>()) return "keep_place";
  if (type == "time" || type == "time, or off" || is_stuck_close) {
    static const std::vector<std::string> kUnits{"ns", "us", "ms", "s", "m", "h"};
    return (is_stuck_close ? "give_up_after " : "") +
           std::to_string(*rc::gen::inRange(-1000, 100'000)) + *rc::gen::elementOf(kUnits);
  }
  if (type == "text") {
    const auto letters = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("abcXYZ019 _-.:/@'\"\\#{}[],&*!|>%\t~")));
    return letters;
  }
  if (type == kAddresses)
    return *rc::gen::elementOf(
        std::vector<std::string>{"6432", "127.0.0.1:0, [::1]:7000", "/run/x/s"});
  if (type == kNamesAndValues) {
    SessionSettings settings;
    for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
      settings["app.v" + std::to_string(i)] = *rc::gen::container<std::string>(
          rc::gen::elementOf(std::string("abcXYZ019 _-.:/@'\"\\#{}[],&*!|>%\t~=")));
    }
    return session_settings_text(settings);
  }
  std::vector<std::string> words;  // "keep or fence", "debug, info, warning or error"
  for (std::size_t from = 0; from < type.size();) {
    const std::size_t to = std::min(type.find_first_of(", ", from), type.size());
    const std::string word(type.substr(from, to - from));
    if (!word.empty() && word != "or") words.push_back(word);
    from = to + 1;
  }
  return *rc::gen::elementOf(words);
}

// Double-quoted, as YAML and JSON have it.
std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\t' ? "\\t" : std::string(1, c);
  }
  return text + "\"";
}

std::string yaml_of(const Settings& settings) {
  std::string text;
  std::string_view group;
  for (const Setting& setting : all_settings()) {
    const std::string word = setting.value.word(settings);
    if (word.empty()) continue;
    if (setting.group() != group) text += std::string(group = setting.group()) + ":\n";
    text += "  " + std::string(setting.name()) + ": " + quoted(word) + "\n";
  }
  return text;
}

TEST(SettingTableTest, EveryWordIsReadBackAsTheSameValue) {
  EXPECT_TRUE(rc::check([] {
    Settings settings;
    for (const Setting& setting : all_settings()) {
      if (*rc::gen::inRange(0, 3) == 0) continue;
      const std::string word = random_word(setting);
      RC_ASSERT(setting.value.read(word, settings) == std::nullopt);
    }
    Settings copy;
    for (const Setting& setting : all_settings()) {
      const std::string word = setting.value.word(settings);
      if (!word.empty()) RC_ASSERT(setting.value.read(word, copy) == std::nullopt);
    }
    const std::vector<std::string> before = words_of(settings);
    const std::vector<std::string> after = words_of(copy);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!before[i].empty()) RC_ASSERT(before[i] == after[i]);
    }
  }));
}

// Sensible or not: a file and an environment that say the same give the same.
TEST(SettingTableTest, AFileAndAnEnvironmentGiveTheSameConfiguration) {
  EXPECT_TRUE(rc::check([] {
    Settings settings;
    for (const Setting& setting : all_settings()) {
      if (*rc::gen::inRange(0, 3) != 0) continue;
      RC_ASSERT(setting.value.read(random_word(setting), settings) == std::nullopt);
    }
    test::Variables variables;
    for (const Setting& setting : all_settings()) {
      const std::string word = setting.value.word(settings);
      if (!word.empty()) variables.emplace(setting.variable, word);
    }
    const ConfigurationReading by_file = test::read_texts({}, yaml_of(settings));
    const ConfigurationReading by_variables = test::read_texts(variables);
    RC_ASSERT(by_file.problems.size() == by_variables.problems.size());
    RC_ASSERT(by_file.configuration.warnings.size() == by_variables.configuration.warnings.size());
    for (std::size_t i = 0; i < by_file.configuration.settings.size(); ++i) {
      RC_ASSERT(by_file.configuration.settings[i].value ==
                by_variables.configuration.settings[i].value);
    }
    if (!by_file.problems.empty()) return;
    RC_ASSERT(problems(by_file.configuration.pool).empty());
  }));
}

TEST(SettingTableTest, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    for (const std::string& problem : test::read_texts({}, text).problems)
      RC_ASSERT(problem.starts_with("app.yaml"));
  }));
}

TEST(SettingTableTest, NamesAreUsedOnceAndGroupsStandTogether) {
  std::set<std::string_view> names;
  std::set<std::string_view> groups;
  std::string_view group;
  for (const Setting& setting : all_settings()) {
    EXPECT_TRUE(names.insert(setting.key).second) << setting.key;
    EXPECT_TRUE(names.insert(setting.variable).second) << setting.variable;
    EXPECT_FALSE(setting.help.empty()) << setting.key;
    if (setting.group() != group) {
      group = setting.group();
      EXPECT_TRUE(groups.insert(group).second) << group;
    }
  }
}

TEST(SettingTableTest, DefaultsBreakNoRule) {
  EXPECT_TRUE(test::read_texts({}).problems.empty());
  EXPECT_TRUE(test::read_texts({}, yaml_of(Settings())).problems.empty());
}

TEST(ReferenceTest, ItsExampleIsRight) {
  const Configuration read = test::accepted({}, std::string(example_file()));

  EXPECT_TRUE(read.warnings.empty());
  ASSERT_TRUE(read.cluster.has_value());
  EXPECT_EQ(read.cluster->user, "orders");
}

TEST(ReferenceTest, ItsExampleOfRoutesIsRight) {
  const ConfigurationReading read = test::read_texts({}, std::string(example_file_of_routes()));

  EXPECT_TRUE(read.problems.empty());
  EXPECT_TRUE(read.configuration.warnings.empty());
  EXPECT_EQ(read.proxy.routes.size(), 3u);
}

TEST(ReferenceTest, EverySettingHasItsRow) {
  const std::string page = reference();
  for (const Setting& setting : all_settings()) {
    const std::string row =
        "| `" + std::string(setting.name()) + "` | `" + std::string(setting.variable) + "` | ";
    EXPECT_NE(page.find(row), std::string::npos) << row;
    const std::string in_route = key_in_route(setting);
    if (in_route.empty()) continue;
    EXPECT_NE(page.find("`" + in_route + "`"), std::string::npos) << in_route;
  }
}

}  // namespace
}  // namespace forebay::config
