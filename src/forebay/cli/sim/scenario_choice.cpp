#include "forebay/cli/sim/scenario_choice.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "forebay/base/json_writer.hpp"
#include "forebay/base/suggestion.hpp"
#include "forebay/cli/secrets.hpp"
#include "forebay/cli/text/wrapped_text.hpp"
#include "forebay/sim/scenario/shipped_scenarios.hpp"

namespace forebay::cli {
namespace {

namespace fs = std::filesystem;

std::string without_ending(std::string_view name) {
  for (const std::string_view ending : {".yaml", ".yml"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return std::string(name);
}

std::vector<BundledFile> sorted_scenarios() {
  std::vector<BundledFile> files = shipped_scenarios();
  std::ranges::sort(files, {}, [](const BundledFile& file) { return without_ending(file.name); });
  return files;
}

std::string description(const BundledFile& file) {
  return sim::read_scenario(file.text, std::string(file.name)).scenario.description;
}

// The file, or the shipped scenario, whose name is most like the word.
std::string probably_meant(const std::string& word) {
  const fs::path path(word);
  std::vector<std::string> neighbours;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string ending = at->path().extension().string();
    if (ending == ".yaml" || ending == ".yml") neighbours.push_back(at->path().filename().string());
  }
  std::ranges::sort(neighbours);
  std::string shipped = nearest(without_ending(word), shipped_scenario_names());
  if (!shipped.empty()) return shipped;
  const std::string file = nearest(path.filename().string(), neighbours);
  if (file.empty()) return "";
  return path.has_parent_path() ? (path.parent_path() / file).string() : file;
}

}  // namespace

std::vector<std::string> shipped_scenario_names() {
  std::vector<std::string> names;
  for (const BundledFile& file : sorted_scenarios()) names.push_back(without_ending(file.name));
  return names;
}

sim::ScenarioReading choose_scenario(const std::string& word) {
  std::error_code error;
  sim::ScenarioReading reading;
  if (fs::is_directory(word, error)) {
    reading.problems.push_back(fmt::format("{} is a folder: a scenario is a file", shown(word)));
    return reading;
  }
  if (fs::exists(word, error)) return sim::read_scenario_file(word);
  for (const BundledFile& file : sorted_scenarios()) {
    if (without_ending(file.name) != without_ending(word)) continue;
    return sim::read_scenario(file.text, std::string(file.name));
  }
  const std::string meant = probably_meant(word);
  reading.problems.push_back(fmt::format(
      "{} is neither a file nor a shipped scenario; {}", shown(word),
      meant.empty() ? fmt::format("shipped are {}", fmt::join(shipped_scenario_names(), ", "))
                    : fmt::format("did you mean {}?", meant)));
  return reading;
}

std::string scenario_list_text(int width) {
  std::string text;
  for (const BundledFile& file : sorted_scenarios()) {
    text += without_ending(file.name) + "\n";
    for (const std::string& line : wrapped(description(file), std::min(width, 100) - 4)) {
      text += "    " + line + "\n";
    }
  }
  return text;
}

std::string scenario_list_json() {
  JsonList list;
  for (const BundledFile& file : sorted_scenarios()) {
    JsonObject scenario;
    scenario.add("name", without_ending(file.name)).add("description", description(file));
    list.add(scenario);
  }
  return list.text() + "\n";
}

}  // namespace forebay::cli
