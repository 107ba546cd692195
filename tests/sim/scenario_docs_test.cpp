// docs/simulation.md has a row for every key of a scenario file, and for no other.
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "forebay/sim/scenario/fault_keys.hpp"
#include "forebay/sim/scenario/scenario_keys.hpp"
#include "sim/scenario_texts.hpp"

namespace forebay::sim {
namespace {

// "`name`" at the start of the text, without the quotes; empty if there is none.
std::string quoted_word(const std::string& text) {
  if (!text.starts_with('`')) return "";
  return text.substr(1, text.find('`', 1) - 1);
}

// By the group that the heading above names. The file itself has the heading "Keys of the file".
std::map<std::string, std::set<std::string>> documented_keys() {
  std::map<std::string, std::set<std::string>> keys;
  std::istringstream text(contents(source_folder() / "docs" / "simulation.md"));
  std::string group = "none";
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("#")) {
      const std::string heading = line.substr(line.find_first_not_of("# "));
      group = heading == "Keys of the file" ? "" : quoted_word(heading);
      if (group.empty() && heading != "Keys of the file") group = "none";
    }
    const std::string key = line.starts_with("| ") ? quoted_word(line.substr(2)) : "";
    if (group != "none" && !key.empty()) keys[group].insert(key);
  }
  return keys;
}

TEST(ScenarioDocsTest, EveryKeyHasItsRow) {
  const std::map<std::string, std::set<std::string>> documented = documented_keys();

  std::map<std::string, std::set<std::string>> known;
  for (const KeyGroup& group : scenario_keys())
    known[group.path] = std::set<std::string>(group.keys.begin(), group.keys.end());

  EXPECT_EQ(documented, known);
}

TEST(ScenarioDocsTest, EveryKindOfFaultIsToldWithItsKeys) {
  const std::string text = contents(source_folder() / "docs" / "simulation.md");

  for (std::size_t i = 1; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    std::string keys;
    for (const std::string& key : fault_keys(kind))
      keys += (keys.empty() ? "`" : ", `") + key + "`";
    const std::string row = "| " + std::string(name(kind)) + " | " + keys + " | ";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace forebay::sim
