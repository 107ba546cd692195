#include "forebay/config/route_settings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"
#include "forebay/config/rules.hpp"
#include "forebay/config/setting_reading.hpp"

namespace forebay::config {
namespace {

bool says(const RouteText& text, std::string_view key) {
  return std::ranges::any_of(text.words,
                             [key](const RouteWord& word) { return word.setting->key == key; });
}

bool names_database(const RouteText& text, const Settings& settings) {
  if (says(text, "database.name")) return true;
  if (!says(text, "database.url")) return false;
  const Result<postgres::ConnectionString> url = settings.database.connection();
  return url && !url->database().empty();
}

// "temporal", "temporal/reporting": fit for a label, and no two routes have the same.
std::string name_of(const RouteText& text) {
  return text.user == kAnybody ? text.database : fmt::format("{}/{}", text.database, text.user);
}

std::string place_of(const RouteText& text, const std::string& file) {
  return fmt::format("{}:{}: {}", file, text.line, text.path);
}

}  // namespace

void forget_target(Settings& settings, Origins& origins) {
  settings.database = DatabaseTarget();
  for (const Setting& setting : all_settings()) {
    if (setting.group() == "database" && setting.option_name() == setting.key)
      origins.forget(setting);
  }
}

// A URL says all of its target. A route that does not say which database it leads to leads to the
// one that it is called by.
RouteSettings settings_of(const RouteText& text, const Settings& settings, const Origins& origins) {
  RouteSettings route(text, settings, origins);
  if (says(text, "database.url")) forget_target(route.settings, route.origins);
  for (const RouteWord& word : text.words) {
    static_cast<void>(word.setting->value.read(word.word, route.settings));  // it was tried before
    route.origins.from_route(*word.setting, word.line, word.path);
  }
  if (text.database != kAnybody && !names_database(text, route.settings)) {
    route.settings.database.name = text.database;
    route.origins.from_route(setting_of("database.name"), text.database_line,
                             text.path + ".database");
  }
  if (!says(text, "pool.name")) route.settings.pool.name = name_of(text);
  route.warnings = adjust(route.settings, route.origins);
  return route;
}

RouteConfiguration configuration_of(const RouteSettings& route) {
  RouteConfiguration made;
  made.path = route.text.path;
  made.database = route.text.database;
  made.user = route.text.user;
  made.configuration = Configuration(route.settings);
  made.is_named = true;
  made.rules = route.settings.proxy.rules;
  made.limits = route.settings.proxy.limits;
  return made;
}

RouteConfiguration only_route(const Settings& settings, const Origins& origins) {
  RouteConfiguration made;
  made.configuration = Configuration(settings);
  made.is_named = origins.is_given(setting_of("pool.name"));
  made.rules = settings.proxy.rules;
  made.limits = settings.proxy.limits;
  return made;
}

// ---- what is wrong

namespace {

// Said of routes, in the order in which it was said first.
class Sayings {
 public:
  void add(std::size_t route, std::vector<std::string> sentences) {
    for (std::string& sentence : sentences) {
      const auto known = std::ranges::find(all_, sentence, &Saying::sentence);
      Saying& saying = known != all_.end() ? *known : all_.emplace_back(std::move(sentence));
      if (saying.routes.empty() || saying.routes.back() != route) saying.routes.push_back(route);
    }
  }
  // With the route before it, unless it is so of all, or names it already.
  std::vector<std::string> told(const std::vector<RouteSettings>& routes,
                                const std::string& file) const {
    std::vector<std::string> told;
    for (const Saying& saying : all_) {
      const RouteText& first = routes[saying.routes.front()].text;
      if (saying.routes.size() == routes.size() || saying.sentence.contains(first.path)) {
        told.push_back(saying.sentence);
        continue;
      }
      for (const std::size_t each : saying.routes)
        told.push_back(fmt::format("{}: {}", place_of(routes[each].text, file), saying.sentence));
    }
    return told;
  }

 private:
  struct Saying {
    explicit Saying(std::string text) : sentence(std::move(text)) {}
    std::string sentence;
    std::vector<std::size_t> routes;
  };
  std::vector<Saying> all_;
};

// What belongs to a server, and so holds for all routes to it or for none.
bool is_of_server(const Setting& setting) {
  static constexpr std::array<std::string_view, 4> kGroups{"leases", "rate", "startup", "cluster"};
  return std::ranges::find(kGroups, setting.group()) != kGroups.end() ||
         setting.key == "pool.connect_rate" || setting.key == "pool.connect_burst";
}

// Host and port. Empty: the target cannot be read, which is told elsewhere.
std::string server_of(const Settings& settings) {
  const Result<postgres::ConnectionString> target = settings.database.connection();
  return target ? fmt::format("{}:{}", target->host(), target->port()) : "";
}

std::string word_or_nothing(const Setting& setting, const Settings& settings) {
  const std::string word = setting.value.word(settings);
  return word.empty() ? "not set" : shown(word);
}

void compare(const RouteSettings& first, const RouteSettings& second, const std::string& file,
             std::vector<std::string>& problems) {
  if (first.text.database == second.text.database && first.text.user == second.text.user) {
    problems.push_back(fmt::format("{} is for the same clients as {}, database {} and user {}",
                                   place_of(second.text, file), first.text.path,
                                   shown(first.text.database), shown(first.text.user)));
  } else if (first.settings.pool.name == second.settings.pool.name) {
    problems.push_back(fmt::format(
        "{}: its pool is called {}, and so is that of {}: give it a "
        "pool.name of its own",
        place_of(second.text, file), shown(second.settings.pool.name), first.text.path));
  }
  const std::string server = server_of(first.settings);
  if (server.empty() || server != server_of(second.settings)) return;
  for (const Setting& setting : all_settings()) {
    if (!is_of_server(setting)) continue;
    const std::string one = word_or_nothing(setting, first.settings);
    const std::string other = word_or_nothing(setting, second.settings);
    if (one == other) continue;
    problems.push_back(fmt::format(
        "{}: {} is {}, and {} in {}, which leads to the same server: it must be the same, or said "
        "once for all routes, outside of proxy",
        place_of(second.text, file), setting.key, other, one, first.text.path));
  }
}

// A limit of all databases together, where one is given, is one of all routes to a server.
void add_up(const std::vector<RouteSettings>& routes, std::vector<std::string>& problems) {
  const Setting& total = setting_of("tenants.max_connections");
  const Origins& origins = routes.front().origins;
  const std::optional<int>& most = routes.front().settings.max_connections;
  if (!most || !origins.is_given(total) || origins.is_refused(total)) return;
  struct Sum {
    long long connections = 0;
    std::string routes;
  };
  std::map<std::string, Sum> sums;
  for (const RouteSettings& route : routes) {
    const int max = *pool_at_server(Configuration(route.settings)).size.max;
    Sum& sum = sums[server_of(route.settings)];
    sum.connections += max;
    sum.routes += fmt::format("{}{} {}", sum.routes.empty() ? "" : ", ", route.text.path, max);
  }
  for (const auto& [server, sum] : sums) {
    if (sum.connections <= *most || server.empty()) continue;
    problems.push_back(fmt::format(
        "{} is {}: the routes to one server may have {} connections together ({}): give them "
        "a smaller pool.max",
        origins.place(total), *most, sum.connections, sum.routes));
  }
}

}  // namespace

RouteFindings findings(const std::vector<RouteSettings>& routes, const std::string& file) {
  Sayings problems_of_each;
  Sayings warnings_of_each;
  RouteFindings found;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const RouteSettings& route = routes[i];
    const Configuration configuration(route.settings);
    problems_of_each.add(i, problems(route.settings, configuration, route.origins));
    warnings_of_each.add(i, route.warnings);
    warnings_of_each.add(i, doubts(route.settings, configuration, route.origins));
  }
  found.problems = problems_of_each.told(routes, file);
  found.warnings = warnings_of_each.told(routes, file);
  for (std::size_t second = 1; second < routes.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first)
      compare(routes[first], routes[second], file, found.problems);
  }
  add_up(routes, found.problems);
  return found;
}

// ---- what is shown

std::vector<EffectiveSetting> effective_settings(const RouteSettings& route,
                                                 const std::string& file) {
  std::vector<EffectiveSetting> all;
  const auto add = [&](const std::string& key, std::string value, std::string source) {
    EffectiveSetting setting;
    setting.key = fmt::format("{}.{}", route.text.path, key);
    setting.value = std::move(value);
    setting.is_default = source == "default";
    setting.source = std::move(source);
    all.push_back(std::move(setting));
  };
  const auto add_name = [&](const std::string& key, const std::string& name, int line) {
    add(key, name, line == 0 ? "default" : fmt::format("{}:{}", file, line));
  };
  add_name("database", route.text.database, route.text.database_line);
  add_name("user", route.text.user, route.text.user_line);
  for (const RouteWord& word : route.text.words) {
    add(key_in_route(*word.setting), word.setting->shown_value(route.settings),
        route.origins.source(*word.setting));
  }
  const Setting& name = setting_of("database.name");
  if (says(route.text, name.key)) return all;
  const Result<postgres::ConnectionString> target = route.settings.database.connection();
  if (!target) return all;
  const bool is_own = target->database() == route.text.database;
  add("target.name", target->database().empty() ? "libpq's" : std::string(target->database()),
      is_own ? fmt::format("as {}.database", route.text.path) : "as database.name");
  return all;
}

}  // namespace forebay::config
