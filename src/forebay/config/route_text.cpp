#include "forebay/config/route_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "forebay/config/setting_reading.hpp"

namespace forebay::config {
namespace {

using yaml::Field;

// Each has a pool of its own.
constexpr std::size_t kMostRoutes = 100;

// Groups of which a route may have keys of its own. `database` is its name here, so what leads to
// the server is called target.
constexpr auto kGroups = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"database", "target"},
    {"pool", "pool"},
    {"reservoir", "reservoir"},
    {"leases", "leases"},
    {"rate", "rate"},
    {"startup", "startup"},
    {"cluster", "cluster"},
});

constexpr auto kOfTheWholeProxy = std::to_array<std::string_view>({
    "proxy.listen",
    "proxy.log_in_limit",
});

struct RouteKeys {
  std::vector<std::string> top{"database", "user"};          // of a route
  std::map<std::string, std::vector<std::string>> in_group;  // "pool": {"max", ...}
  std::map<std::string, const Setting*> settings;            // by key in the route
};

const RouteKeys& route_keys() {
  static const RouteKeys kKeys = [] {
    RouteKeys keys;
    for (const Setting& setting : all_settings()) {
      const std::string key = key_in_route(setting);
      if (key.empty()) continue;
      keys.settings.emplace(key, &setting);
      const std::size_t dot = key.find('.');
      const std::string top = key.substr(0, dot);
      if (std::ranges::find(keys.top, top) == keys.top.end()) keys.top.push_back(top);
      if (dot != std::string::npos) keys.in_group[top].push_back(key.substr(dot + 1));
    }
    return keys;
  }();
  return kKeys;
}

// A name that only looks as if it were a pattern would let nobody in.
void read_name(const Field& field, std::string_view of_what, std::string& name, int& line) {
  const std::optional<std::string_view> word = field.text(of_what);
  if (!word) return;
  const bool is_pattern = word->contains('*') && *word != kAnybody;
  if (is_pattern || word->empty())
    return field.refuse(fmt::format("must be {}, or * alone for any", of_what));
  name = *word;
  line = field.line();
}

class RouteReader {
 public:
  explicit RouteReader(const Field& item) : text_(item.path(), item.line()) { read(item); }
  RouteText take() && {
    std::ranges::sort(text_.words, {}, &RouteWord::setting);  // in the order of the table
    return std::move(text_);
  }

 private:
  void read(const Field& item) {
    for (const Field& field : item.entries(route_keys().top)) {
      const std::string key(field.key());
      if (key == "database") {
        read_name(field, "the name of a database", text_.database, text_.database_line);
      } else if (key == "user") {
        read_name(field, "the name of a user", text_.user, text_.user_line);
      } else if (const auto group = route_keys().in_group.find(key);
                 group != route_keys().in_group.end()) {
        for (const Field& inner : field.entries(group->second))
          read_setting(inner, fmt::format("{}.{}", key, inner.key()));
      } else {
        read_setting(field, key);
      }
    }
  }
  void read_setting(const Field& field, const std::string& key) {
    const Setting& setting = *route_keys().settings.at(key);
    const std::optional<std::string> word = word_of(setting, field);
    if (!word) return;
    Settings scratch;
    if (const auto problem = problem_of(setting, *word, scratch)) return field.refuse(*problem);
    text_.words.emplace_back(setting, *word, field.line(), field.path());
  }

  RouteText text_;
};

}  // namespace

std::string key_in_route(const Setting& setting) {
  if (std::ranges::find(kOfTheWholeProxy, setting.key) != kOfTheWholeProxy.end()) return "";
  if (setting.group() == "proxy") return std::string(setting.name());
  const auto* const group =
      std::ranges::find(kGroups, setting.group(), [](const auto& pair) { return pair.first; });
  if (group == kGroups.end()) return "";
  return fmt::format("{}.{}", group->second, setting.name());
}

std::vector<RouteText> read_routes(const Field& routes) {
  std::vector<RouteText> texts;
  const std::vector<Field> items = routes.items();
  if (items.empty() && routes.is_list())
    routes.refuse("there must be one at least; without this key there is one for all clients");
  if (items.size() > kMostRoutes) {
    routes.refuse(fmt::format("{} are too many: there may be {}, for each has a pool of its own",
                              items.size(), kMostRoutes));
    return texts;
  }
  for (const Field& item : items) texts.push_back(RouteReader(item).take());
  return texts;
}

}  // namespace forebay::config
