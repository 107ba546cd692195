#include "forebay/config/read_configuration.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"
#include "forebay/config/origins.hpp"
#include "forebay/config/pool_settings.hpp"
#include "forebay/config/route_settings.hpp"
#include "forebay/config/rules.hpp"
#include "forebay/config/setting_reading.hpp"
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

// No setting, but a list of what has settings of its own.
constexpr std::string_view kRoutes = "proxy.routes";

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

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
  if (group == kRoutes.substr(0, kRoutes.find('.')))
    keys.emplace_back(kRoutes.substr(kRoutes.find('.') + 1));
  return keys;
}

class Reader {
 public:
  explicit Reader(const std::string& file)
      : file_(file), problems_in_file_(file, yaml::StrayTexts::hidden), origins_(file) {}

  void read_file(std::string_view text);
  void read_variables(const Machine& machine);
  void read_given(const std::vector<GivenSetting>& given);
  ConfigurationReading finish();

 private:
  void read_field(const Setting& setting, const Field& field);
  void read_variable(const Setting& setting, const std::string& word);
  void note_unknown_variables(const Machine& machine);
  void drop_parts_of_file();
  void make_routes(const Settings& settings, const Origins& origins, ConfigurationReading& reading);
  EffectiveSetting effective(const Setting& setting) const;
  std::string source(const Setting& setting) const;
  void show_target(std::vector<EffectiveSetting>& settings) const;

  const std::string file_;
  yaml::FileProblems problems_in_file_;
  Origins origins_;
  Settings settings_;
  std::vector<config::RouteText> routes_;
  std::vector<config::RouteSettings> settings_of_routes_;
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
    for (const Field& field : group.entries(keys_of(group.key()))) {
      if (field.path() == kRoutes) {
        routes_ = config::read_routes(field);
      } else {
        read_field(config::setting_of(field.path()), field);
      }
    }
  }
}

void Reader::read_field(const Setting& setting, const Field& field) {
  const std::optional<std::string> word = config::word_of(setting, field);
  std::optional<std::string> problem;
  if (word) problem = config::problem_of(setting, *word, settings_);
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
  const std::optional<std::string> problem = config::problem_of(setting, word, settings_);
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

void Reader::read_given(const std::vector<GivenSetting>& given) {
  for (const GivenSetting& each : given) {
    const Setting& setting = config::setting_of(each.key);
    if (each.key == "database.url") config::forget_target(settings_, origins_);
    if (const auto problem = config::problem_of(setting, each.word, settings_)) {
      problems_.push_back(fmt::format("{}: {}", each.option, *problem));
      origins_.refuse(setting);
    } else {
      origins_.from_option(setting, each.option);
    }
  }
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
  ConfigurationReading reading;
  reading.problems = problems_in_file_.texts();
  append(reading.problems, problems_);
  const Settings as_given = settings_;
  const Origins origins_as_given = origins_;
  const std::vector<std::string> adjusted = config::adjust(settings_, origins_);
  reading.configuration = Configuration(settings_);
  if (routes_.empty()) {
    append(warnings_, adjusted);
    append(reading.problems, config::problems(settings_, reading.configuration, origins_));
    append(warnings_, config::doubts(settings_, reading.configuration, origins_));
  }
  make_routes(as_given, origins_as_given, reading);
  settings_.database = reading.configuration.database;  // with what follows from the rest of it
  const auto postgresql = postgres::ServerProfile::postgresql();
  const auto dsql = postgres::ServerProfile::dsql();
  is_dsql_ = config::profile_of(settings_.database).kind == ServerKind::dsql;
  here_ = config::completed(settings_, is_dsql_ ? dsql : postgresql);
  elsewhere_ = config::completed(settings_, is_dsql_ ? postgresql : dsql);
  for (const Setting& setting : config::all_settings())
    reading.configuration.settings.push_back(effective(setting));
  show_target(reading.configuration.settings);
  for (const config::RouteSettings& route : settings_of_routes_)
    append(reading.configuration.settings, config::effective_settings(route, file_));
  reading.configuration.warnings = std::move(warnings_);
  return reading;
}

// What holds for all routes is checked with each of them: by itself it need not make sense.
void Reader::make_routes(const Settings& settings, const Origins& origins,
                         ConfigurationReading& reading) {
  ProxyConfiguration& proxy = reading.proxy;
  proxy.listen = settings.proxy.listen;
  proxy.log_in_limit = settings.proxy.limits.log_in;
  if (routes_.empty()) {
    proxy.routes.push_back(config::only_route(settings_, origins_));
    return;
  }
  for (const config::RouteText& text : routes_)
    settings_of_routes_.push_back(config::settings_of(text, settings, origins));
  const config::RouteFindings found = config::findings(settings_of_routes_, file_);
  append(reading.problems, found.problems);
  append(warnings_, found.warnings);
  for (const config::RouteSettings& route : settings_of_routes_)
    proxy.routes.push_back(config::configuration_of(route));
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
                                        const std::optional<ConfigurationFile>& file,
                                        const std::vector<GivenSetting>& given) {
  Reader reader(file ? file->name : "");
  if (file) reader.read_file(file->text);
  reader.read_variables(machine);
  reader.read_given(given);
  return reader.finish();
}

ConfigurationReading read_configuration(const std::vector<GivenSetting>& given) {
  Reader reader("");
  reader.read_given(given);
  return reader.finish();
}

Task<ConfigurationReading> read_configuration(Machine& machine, std::string path,
                                              std::vector<GivenSetting> given) {
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
  ConfigurationReading reading = read_configuration(machine, file, given);
  if (!trouble.empty()) reading.problems.insert(reading.problems.begin(), trouble);
  co_return reading;
}

}  // namespace forebay
