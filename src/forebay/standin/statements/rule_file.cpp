#include "forebay/standin/statements/rule_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/calendar_text.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/value_text.hpp"
#include "forebay/yaml/field.hpp"
#include "forebay/yaml/yaml_tree.hpp"

namespace forebay::standin {
namespace {

using yaml::Field;
using yaml::Key;

// Nobody writes more by hand, and a wrong file is not read to its end.
constexpr std::size_t kMostBytes = 256 * 1024;
constexpr int kMostRows = 1'000'000;
constexpr int kMostMebibytes = 1024;

struct RuleFile {
  std::string date{kRulesKnownOn};
  std::set<std::string> off;
  TransactionLimits limits;
};

void read_date(const Field& field, RuleFile& file) {
  const std::optional<std::string_view> text = field.text("a date like 2026-08-01");
  if (!text) return;
  CalendarReader reader(*text);
  const bool is_date = text->size() == 10 && reader.date() && reader.is_at_end();
  if (!is_date) return field.refuse(fmt::format("{} is not a date like 2026-08-01", *text));
  if (*text < kRulesKnownSince) {
    return field.refuse(
        fmt::format("{} is too early: rules are known since {}", *text, kRulesKnownSince));
  }
  file.date = *text;
}

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const RuleGroup& group : rule_groups()) {
    for (const Rule& rule : group.rules)
      if (std::ranges::find(names, rule.name) == names.end()) names.emplace_back(rule.name);
  }
  return names;
}

void read_switches(const Field& field, RuleFile& file) {
  for (const Field& entry : field.entries(rule_names())) {
    bool is_on = true;
    entry.read(is_on);
    if (!is_on) file.off.emplace(entry.key());
  }
}

void read_whole(const Field& field, std::int64_t& into, int most) {
  int number = static_cast<int>(into);
  field.read_whole(number, 1, most);
  into = number;
}

void read_limits(const Field& field, RuleFile& file) {
  static constexpr auto kKeys = std::to_array<Key<TransactionLimits>>({
      {"rows", [](const Field& f, TransactionLimits& to) { read_whole(f, to.rows, kMostRows); }},
      {"mebibytes",
       [](const Field& f, TransactionLimits& to) { read_whole(f, to.mebibytes, kMostMebibytes); }},
      {"age",
       [](const Field& f, TransactionLimits& to) { f.read_time(to.age, yaml::Zero::refused); }},
  });
  yaml::read_map(field, kKeys, file.limits);
}

RuleFileReading refused(const std::string& path, std::string_view text) {
  RuleFileReading reading;
  reading.problems.push_back(fmt::format("{}: {}", path, text));
  return reading;
}

}  // namespace

RuleFileReading read_rules(std::string_view text, const std::string& file_name) {
  static constexpr auto kKeys = std::to_array<Key<RuleFile>>(
      {{"date", read_date}, {"rules", read_switches}, {"limits", read_limits}});
  if (text.size() > kMostBytes) {
    return refused(file_name,
                   fmt::format("has more than {} KiB; is it a file of rules?", kMostBytes / 1024));
  }
  yaml::FileProblems problems(file_name);
  RuleFile file;
  const yaml::YamlReading tree = yaml::read_yaml(text);
  if (!tree.problem.empty()) {
    problems.add_at(tree.line, "", tree.problem);
  } else if (tree.value.kind != yaml::YamlValue::Kind::nothing) {
    yaml::read_map(Field(tree.value, "", tree.value.line, problems), kKeys, file);
  }
  RuleFileReading reading;
  reading.problems = problems.texts();
  if (reading.problems.empty())
    reading.book = RuleBook(std::move(file.date), std::move(file.off), file.limits);
  return reading;
}

RuleFileReading read_rule_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    return refused(path, "there is no such file");
  if (std::filesystem::is_directory(status)) return refused(path, "is a folder");
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return refused(path, "cannot be read; are you allowed to?");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return read_rules(text, path);
}

}  // namespace forebay::standin
