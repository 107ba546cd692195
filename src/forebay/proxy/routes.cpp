#include "forebay/proxy/routes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"

namespace forebay::proxy {
namespace {

constexpr std::string_view kAny = "*";
// More would fill the screen of somebody who only mistyped a name.
constexpr std::size_t kMostNamed = 10;

bool is_for(std::string_view wanted, std::string_view name) {
  return wanted == kAny || wanted == name;
}

std::string databases_of(const std::vector<const RouteOptions*>& routes) {
  std::vector<std::string> names;
  for (const RouteOptions* route : routes) {
    std::string name = shown(route->database);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  const std::size_t left_out = names.size() > kMostNamed ? names.size() - kMostNamed : 0;
  names.resize(names.size() - left_out);
  return left_out == 0 ? joined(names) : fmt::format("{} and {} more", joined(names), left_out);
}

}  // namespace

std::optional<int> fit(const RouteOptions& route, std::string_view database,
                       std::string_view user) {
  if (!is_for(route.database, database) || !is_for(route.user, user)) return std::nullopt;
  return (route.database == kAny ? 0 : 2) + (route.user == kAny ? 0 : 1);
}

Error no_route(const std::vector<const RouteOptions*>& routes, std::string_view database,
               std::string_view user) {
  const bool is_known = std::ranges::any_of(
      routes, [&](const RouteOptions* route) { return is_for(route->database, database); });
  ServerReport report(is_known ? "28000" : "3D000");
  std::string text;
  if (is_known) {
    text = fmt::format("user {} is not served in database {} by this proxy", shown(user),
                       shown(database));
    report.hint = "Give another user, or the proxy a route for this one: proxy.routes.";
  } else {
    text = fmt::format("database {} is not served by this proxy; served: {}", shown(database),
                       databases_of(routes));
    report.hint = database == user
                      ? "Clients that name no database ask for one that is called as the user: "
                        "name one, as in psql -d NAME."
                      : "Ask for one of these, or give the proxy a route for it: proxy.routes.";
  }
  return Error(Errc::refused, ErrorClass::permanent, std::move(text), std::move(report));
}

Result<Route*> Routes::find(std::string_view database, std::string_view user) const {
  Route* best = nullptr;
  int most = -1;
  std::vector<const RouteOptions*> all;
  for (const std::unique_ptr<Route>& route : routes_) {
    all.push_back(&route->options());
    const std::optional<int> named = fit(route->options(), database, user);
    if (!named || *named <= most) continue;
    best = route.get();
    most = *named;
  }
  if (best != nullptr) return best;
  return failure(no_route(all, database, user));
}

}  // namespace forebay::proxy
