#include "forebay/config/read_configuration.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/base/number_text.hpp"
#include "forebay/base/suggestion.hpp"
#include "forebay/config/origins.hpp"
#include "forebay/config/pool_settings.hpp"
#include "forebay/config/rules.hpp"
#include "forebay/config/session_settings_text.hpp"
#include "forebay/postgres/driver/server_profile.hpp"
#include "forebay/yaml/field.hpp"

namespace forebay {
namespace {

using config::Origins;
using config::Setting;
using config::Settings;
using yaml::Field;

// Nobody writes more by hand, and a wrong file is not parsed to its end.
constexpr std::size_t kMostBytes = 256 * 1024;

std::vector<std::string> groups() {
  std::vector<std::string> groups;
  for (const Setting& setting : config::all_settings()) {
    if (groups.empty() || groups.back() != setting.group()) groups.emplace_back(setting.group());
  }
  return groups;
}

std::vector<std::string> keys_of(std::string_view group) {
  std::vector<std::string> keys;
  for (const Setting& setting : config::all_settings()) {
    if (setting.group() == group) keys.emplace_back(setting.name());
  }
  return keys;
}

// Nothing, and a problem of the file: it is not what the setting can be.
std::optional<std::string> word_of(const Setting& setting, const Field& field) {
  if (setting.may_be_group() && field.is_group()) {
    const auto pairs = field.pairs();
    if (!pairs) return std::nullopt;
    for (const auto& [name, value] : *pairs) {
      if (name.find_first_of("= \t\r\n") == std::string::npos) continue;
      field.refuse(fmt::format("{} is no name of a setting", shown(name)));
      return std::nullopt;
    }
    return config::session_settings_text(SessionSettings(pairs->begin(), pairs->end()));
  }
  const std::optional<std::string_view> word = field.text(setting.value.type);
  return word ? std::optional<std::string>(*word) : std::nullopt;
}

// What is wrong with a word. Of the database's settings it shows numbers only: a word that is none
// of the kind that is expected may be a password in the wrong place.
std::optional<std::string> problem_of(const Setting& setting, std::string_view word,
                                      Settings& settings) {
  std::optional<std::string> problem = setting.value.read(word, settings);
  const bool is_shown = setting.group() != "database" || parse_number<double>(word);
  if (!problem || is_shown) return problem;
  return fmt::format("the value (not shown) stands where {} is expected", setting.value.type);
}

class Reader {
 public:
  explicit Reader(std::string file)
      : problems_in_file_(file, yaml::StrayTexts::hidden), origins_(std::move(file)) {}

  void read_file(std::string_view text);
  void read_variables(const Machine& machine);
  ConfigurationReading finish();

 private:
  void read_field(const Setting& setting, const Field& field);
  void read_variable(const Setting& setting, const std::string& word);
  void note_unknown_variables(const Machine& machine);
  void drop_parts_of_file();
  EffectiveSetting effective(const Setting& setting) const;
  std::string source(const Setting& setting) const;
  void show_target(std::vector<EffectiveSetting>& settings) const;

  yaml::FileProblems problems_in_file_;
  Origins origins_;
  Settings settings_;
  // With what holds where nothing was said, for the server that it names and for the other kind.
  Settings here_;
  Settings elsewhere_;
  bool is_dsql_ = false;
  std::vector<std::string> problems_;
  std::vector<std::string> warnings_;
};

void Reader::read_file(std::string_view text) {
  if (text.size() > kMostBytes) {
    problems_in_file_.add(
        "", fmt::format("has more than {} KiB; is it the right file?", kMostBytes / 1024));
    return;
  }
  const yaml::YamlReading tree = yaml::read_yaml(text);
  if (!tree.problem.empty()) return problems_in_file_.add_at(tree.line, "", tree.problem);
  if (tree.value.kind == yaml::YamlValue::Kind::nothing) return;  // everything commented out
  const Field whole(tree.value, "", tree.value.line, problems_in_file_);
  for (const Field& group : whole.entries(groups())) {
    for (const Field& field : group.entries(keys_of(group.key())))
      read_field(config::setting_of(field.path()), field);
  }
}

void Reader::read_field(const Setting& setting, const Field& field) {
  const std::optional<std::string> word = word_of(setting, field);
  std::optional<std::string> problem;
  if (word) problem = problem_of(setting, *word, settings_);
  if (problem) field.refuse(*problem);
  if (problem || !word) {
    origins_.refuse(setting);
  } else {
    origins_.from_file(setting, field.line());
  }
}

void Reader::read_variables(const Machine& machine) {
  for (const Setting& setting : config::all_settings()) {
    const std::optional<std::string> word = machine.variable(setting.variable);
    if (word) read_variable(setting, *word);
  }
  note_unknown_variables(machine);
}

void Reader::read_variable(const Setting& setting, const std::string& word) {
  const std::optional<std::string> problem = problem_of(setting, word, settings_);
  if (problem && setting.wrong == config::Wrong::is_false) {
    warnings_.push_back(fmt::format("{}: {}; it counts as false", setting.variable, *problem));
    static_cast<void>(setting.value.read("false", settings_));
    origins_.adjust(setting);
  } else if (problem) {
    problems_.push_back(fmt::format("{}: {}", setting.variable, *problem));
    origins_.refuse(setting);
    return;
  }
  origins_.from_variable(setting);
}

void Reader::note_unknown_variables(const Machine& machine) {
  std::vector<std::string> known{std::string(kConfigurationFileVariable),
                                 std::string(kMetricsUrlVariable)};
  for (const Setting& setting : config::all_settings()) known.emplace_back(setting.variable);
  for (const std::string_view prefix : {"DSQL_", "FOREBAY_"}) {
    for (const std::string& name : machine.variables_that_begin_with(prefix)) {
      if (std::ranges::find(known, name) != known.end()) continue;
      const std::string meant = nearest_name(name, known);
      warnings_.push_back(
          fmt::format("{} is unknown and has no effect{}", name,
                      meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
    }
  }
}

// A part counts more than the URL, but not one of the file more than a variable's URL. How the
// connection is encrypted stays as the file says if the URL does not say it.
void Reader::drop_parts_of_file() {
  const Setting& url = config::setting_of("database.url");
  if (!origins_.is_from_variable(url)) return;
  DatabaseTarget& database = settings_.database;
  const Result<postgres::ConnectionString> parsed = postgres::ConnectionString::parse(database.url);
  const DatabaseTarget none;
  const auto drop = [&](std::string_view key, auto& part, const auto& nothing) {
    const Setting& setting = config::setting_of(key);
    if (!origins_.is_from_file(setting)) return;
    warnings_.push_back(fmt::format("{} has no effect: {} is set, and counts more than the file",
                                    origins_.place(setting), url.variable));
    part = nothing;
    origins_.forget(setting);
  };
  drop("database.host", database.host, none.host);
  drop("database.port", database.port, none.port);
  drop("database.user", database.user, none.user);
  drop("database.password", database.password, none.password);
  drop("database.name", database.name, none.name);
  if (parsed && !parsed->get("sslmode").empty())
    drop("database.sslmode", database.sslmode, none.sslmode);
}

ConfigurationReading Reader::finish() {
  drop_parts_of_file();
  const std::vector<std::string> adjusted = config::adjust(settings_, origins_);
  warnings_.insert(warnings_.end(), adjusted.begin(), adjusted.end());
  ConfigurationReading reading;
  reading.configuration = Configuration(settings_);
  reading.problems = problems_in_file_.texts();
  reading.problems.insert(reading.problems.end(), problems_.begin(), problems_.end());
  for (std::string& problem : config::problems(settings_, reading.configuration, origins_))
    reading.problems.push_back(std::move(problem));
  for (std::string& doubt : config::doubts(settings_, reading.configuration, origins_))
    warnings_.push_back(std::move(doubt));
  settings_.database = reading.configuration.database;  // with what follows from the rest of it
  const auto postgresql = postgres::ServerProfile::postgresql();
  const auto dsql = postgres::ServerProfile::dsql();
  is_dsql_ = config::profile_of(settings_.database).kind == ServerKind::dsql;
  here_ = config::completed(settings_, is_dsql_ ? dsql : postgresql);
  elsewhere_ = config::completed(settings_, is_dsql_ ? postgresql : dsql);
  for (const Setting& setting : config::all_settings())
    reading.configuration.settings.push_back(effective(setting));
  show_target(reading.configuration.settings);
  reading.configuration.warnings = std::move(warnings_);
  return reading;
}

// What is not set may be as another setting says, which may be as a third one says.
EffectiveSetting Reader::effective(const Setting& setting) const {
  const Setting* says = &setting;
  while (says->value.word(here_).empty()) {
    const auto other = std::ranges::find(config::all_settings(), says->otherwise, &Setting::key);
    if (other == config::all_settings().end()) break;
    says = &*other;
  }
  EffectiveSetting effective;
  effective.key = setting.key;
  effective.value = says->shown_value(here_);
  effective.source = says == &setting ? source(setting) : fmt::format("as {}", says->key);
  effective.is_default = !origins_.is_given(setting);
  return effective;
}

std::string Reader::source(const Setting& setting) const {
  const bool is_bound = setting.value.word(here_) != setting.value.word(elsewhere_);
  if (!is_bound || origins_.is_given(setting)) return origins_.source(setting);
  return is_dsql_ ? "default for Aurora DSQL" : "default for PostgreSQL";
}

// A part of the target that is not set by its own key is the URL's, or left to libpq.
void Reader::show_target(std::vector<EffectiveSetting>& settings) const {
  const Result<postgres::ConnectionString> connection = settings_.database.connection();
  if (!connection) return;
  const auto profile = postgres::ServerProfile::for_host(connection->host());
  for (const auto& [key, keyword] : {std::pair{"database.host", "host"},
                                     {"database.port", "port"},
                                     {"database.user", "user"},
                                     {"database.name", "dbname"},
                                     {"database.sslmode", "sslmode"}}) {
    if (!config::setting_of(key).value.word(settings_).empty()) continue;
    EffectiveSetting& setting = *std::ranges::find(settings, key, &EffectiveSetting::key);
    const std::string_view value = connection->get(keyword);
    const bool is_server_bound = setting.key == "database.sslmode" && profile.requires_tls;
    setting.value = is_server_bound ? "require" : "libpq's";
    if (value.empty()) continue;
    setting.value = value;
    setting.source = "as database.url";
  }
}

}  // namespace

ConfigurationReading read_configuration(const Machine& machine,
                                        const std::optional<ConfigurationFile>& file) {
  Reader reader(file ? file->name : "");
  if (file) reader.read_file(file->text);
  reader.read_variables(machine);
  return reader.finish();
}

Task<ConfigurationReading> read_configuration(Machine& machine, std::string path) {
  if (path.empty()) path = machine.variable(kConfigurationFileVariable).value_or("");
  std::optional<ConfigurationFile> file;
  std::string trouble;
  if (!path.empty()) {
    Result<std::string> text = co_await machine.read_file(path);
    if (text) {
      file.emplace(path, std::move(*text));
    } else {
      trouble = text.error().text();
    }
  }
  ConfigurationReading reading = read_configuration(machine, file);
  if (!trouble.empty()) reading.problems.insert(reading.problems.begin(), trouble);
  co_return reading;
}

}  // namespace forebay
