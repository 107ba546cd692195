#include "forebay/sim/scenario/scenario_file.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "forebay/sim/scenario/scenario_checks.hpp"
#include "forebay/sim/scenario/scenario_keys.hpp"
#include "forebay/yaml/yaml_tree.hpp"

namespace forebay::sim {
namespace {

using yaml::Field;
using yaml::FileProblems;
using yaml::read_yaml;
using yaml::YamlReading;
using yaml::YamlValue;

// Nobody writes more by hand, and a wrong file (a log, a disk) is not read to its end.
constexpr std::size_t kMostBytes = 256 * 1024;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The first paragraph of the comment that the file starts with, on one line.
std::string leading_comment(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string paragraph;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (!line.starts_with('#')) break;
    const std::size_t start = line.find_first_not_of("# \t");
    if (start == std::string_view::npos) {
      if (paragraph.empty()) continue;
      break;
    }
    line = line.substr(start, line.find_last_not_of(" \t") + 1 - start);
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += line;
  }
  return paragraph;
}

ScenarioReading refused(const std::string& path, std::string_view text) {
  ScenarioReading reading;
  reading.problems.push_back(fmt::format("{}: {}", path, text));
  return reading;
}

}  // namespace

ScenarioReading read_scenario(std::string_view text, const std::string& file_name) {
  if (text.size() > kMostBytes)
    return refused(file_name,
                   fmt::format("has more than {} KiB; is it a scenario?", kMostBytes / 1024));
  FileProblems problems(file_name);
  ScenarioReading reading;
  const YamlReading tree = read_yaml(text);
  if (!tree.problem.empty()) {
    problems.add_at(tree.line, "", tree.problem);
  } else if (tree.value.kind == YamlValue::Kind::nothing) {
    problems.add("", "is empty; a scenario needs at least services: [{name: history}]");
  } else {
    const Field whole(tree.value, "", tree.value.line, problems);
    const ScenarioDraft draft = read_keys(whole);
    if (tree.value.kind == YamlValue::Kind::map) check_scenario(draft, problems);
    reading.scenario = draft.scenario;
  }
  reading.problems = problems.texts();
  reading.scenario.name = std::filesystem::path(file_name).stem().string();
  if (reading.scenario.description.empty()) reading.scenario.description = leading_comment(text);
  return reading;
}

ScenarioReading read_scenario_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    return refused(path, "there is no such file");
  if (std::filesystem::is_directory(status))
    return refused(path, "is a folder; name one of the files in it");

  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return refused(path, "cannot be read; are you allowed to?");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return read_scenario(text, path);
}

}  // namespace forebay::sim
