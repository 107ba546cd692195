// Scenario texts that must be refused, and with which words.
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "forebay/sim/scenario/scenario_file.hpp"

namespace forebay::sim {

struct Refusal {
  std::string text;
  std::vector<std::string> problems;  // without the name of the file
};

inline void expect_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    std::vector<std::string> expected;
    for (const std::string& problem : refusal.problems) expected.push_back("f.yaml" + problem);
    EXPECT_THAT(read_scenario(refusal.text, "f.yaml").problems, testing::ElementsAreArray(expected))
        << refusal.text;
  }
}

}  // namespace forebay::sim
