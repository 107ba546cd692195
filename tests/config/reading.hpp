// Configurations read from texts, for tests.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "forebay/config/read_configuration.hpp"
#include "support/fake_machine.hpp"

namespace forebay::test {

using Variables = std::map<std::string, std::string, std::less<>>;

inline ConfigurationReading read_texts(const Variables& variables,
                                       const std::optional<std::string>& file = std::nullopt) {
  FakeMachine machine;
  machine.variables = variables;
  if (!file) return read_configuration(machine, std::nullopt);
  return read_configuration(machine, ConfigurationFile("app.yaml", *file));
}

// Fails the test if there are problems.
inline Configuration accepted(const Variables& variables,
                              const std::optional<std::string>& file = std::nullopt) {
  ConfigurationReading reading = read_texts(variables, file);
  EXPECT_EQ(reading.problems, std::vector<std::string>());
  return std::move(reading.configuration);
}

inline EffectiveSetting effective(const Configuration& configuration, std::string_view key) {
  const auto found = std::ranges::find(configuration.settings, key, &EffectiveSetting::key);
  EXPECT_NE(found, configuration.settings.end()) << key;
  return found == configuration.settings.end() ? EffectiveSetting() : *found;
}

}  // namespace forebay::test
