// Whatever a file holds, reading it ends with problems or with a scenario that can be run.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "forebay/sim/scenario/scenario_file.hpp"
#include "forebay/sim/scenario/scenario_limits.hpp"
#include "forebay/sim/scenario/service_pool.hpp"
#include "forebay/sim/scenario/shipped_scenarios.hpp"

namespace forebay::sim {
namespace {

const std::vector<std::string>& words() {
  static const std::vector<std::string> words{"0",
                                              "-1",
                                              "1",
                                              "1000000",
                                              "99999999999",
                                              "0.5",
                                              "nan",
                                              "1e300",
                                              "5s",
                                              "0s",
                                              "-5m",
                                              "365h",
                                              "8760h",
                                              "1ns",
                                              "off",
                                              "true",
                                              "~",
                                              "[]",
                                              "{}",
                                              "&a ",
                                              "*a",
                                              "*callers",
                                              ": ",
                                              "- ",
                                              "\n",
                                              "\n  ",
                                              "\t",
                                              "\"",
                                              "'",
                                              "#",
                                              "| ",
                                              "? ",
                                              "---\n",
                                              "...",
                                              "!!int ",
                                              "<<: ",
                                              "%YAML 1.2\n",
                                              "\xff",
                                              "\xc3",
                                              "{",
                                              "}",
                                              "[",
                                              "]",
                                              ",",
                                              "max: 1",
                                              "jitter: 50m",
                                              "replicas: 10000",
                                              "targetReady: 1000000",
                                              "guardWindow: 10m",
                                              "supply: standard",
                                              "stagger: 8760h",
                                              "every: 1ns",
                                              "cutAfter: 1ns",
                                              "sampleEvery: 1ns",
                                              "duration: 8760h",
                                              "tenants: {count: 100000, perTenant: 4}"};
  return words;
}

std::string shipped_text() {
  const std::vector<BundledFile> files = shipped_scenarios();
  return std::string(files[*rc::gen::inRange<std::size_t>(0, files.size())].text);
}

// A word in place of a few letters, a line twice, a part left out, or another value.
void mutate(std::string& text) {
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  const auto length = *rc::gen::inRange<std::size_t>(0, 12);
  const std::string word = *rc::gen::elementOf(words());
  switch (*rc::gen::inRange(0, 5)) {
    case 0: text.replace(at, length, word); break;
    case 1: text.erase(at, length * 10); break;
    case 2: text.insert(at, text.substr(at, length * 10)); break;
    case 3: {
      const std::size_t colon = text.find(": ", at);
      if (colon == std::string::npos) break;
      const std::size_t end = text.find_first_of(",}\n", colon);
      text.replace(colon + 2, end == std::string::npos ? 0 : end - colon - 2, word);
      break;
    }
    default: text.insert(at, word);
  }
}

void expect_refused_or_possible(const std::string& text) {
  const ScenarioReading reading = read_scenario(text, "f.yaml");
  for (const std::string& problem : reading.problems) {
    RC_ASSERT(problem.starts_with("f.yaml"));
    RC_ASSERT(problem.find('\n') == std::string::npos);
  }
  if (!reading.problems.empty()) return;

  const Scenario& scenario = reading.scenario;
  const std::vector<ServiceSpec> all = processes(scenario);
  RC_ASSERT(!all.empty());
  RC_ASSERT(all.size() <= static_cast<std::size_t>(kMostProcesses));
  for (const ServiceSpec& process : all) {
    const bool has_tenants = process.tenants.count > 0;
    RC_ASSERT(has_tenants || problems(pool_options(process, scenario.database)).empty());
    RC_ASSERT(!has_tenants || problems(tenant_options(process, scenario.database)).empty());
    RC_ASSERT(process.start_delay < scenario.duration);
  }
  for (const FaultSpec& fault : scenario.faults) {
    RC_ASSERT(fault.at < scenario.duration);
    RC_ASSERT(!affected_processes(scenario, fault).empty());
  }
  RC_ASSERT(scenario.duration / scenario.sample_every <= kMostSamples);
}

RC_GTEST_PROP(ScenarioProperty, AChangedScenarioIsRefusedOrPossible, ()) {
  std::string text = shipped_text();
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i) mutate(text);

  expect_refused_or_possible(text);
}

RC_GTEST_PROP(ScenarioProperty, AnyTextIsRefusedOrPossible, (const std::string& text)) {
  expect_refused_or_possible(text);
}

RC_GTEST_PROP(ScenarioProperty, AnyWordsAreRefusedOrPossible, ()) {
  const auto chosen = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words()));
  std::string text;
  for (const std::string& word : chosen) text += word;

  expect_refused_or_possible(text);
}

}  // namespace
}  // namespace forebay::sim
