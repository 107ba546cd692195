// Routes of the proxy, from what the file says of them and what holds for all.
#pragma once

#include <string>
#include <vector>

#include "forebay/config/origins.hpp"
#include "forebay/config/proxy_configuration.hpp"
#include "forebay/config/route_text.hpp"
#include "forebay/config/settings.hpp"

namespace forebay::config {

struct RouteSettings {
  RouteSettings(const RouteText& said, const Settings& for_all, const Origins& origins_for_all)
      : text(said), settings(for_all), origins(origins_for_all) {}

  RouteText text;
  Settings settings;
  Origins origins;
  std::vector<std::string> warnings;  // of what was put right
};

// The settings and origins are those of all routes, before anything was put right.
RouteSettings settings_of(const RouteText& text, const Settings& settings, const Origins& origins);

// Nothing of what was said of the database holds any more.
void forget_target(Settings& settings, Origins& origins);

struct RouteFindings {
  RouteFindings() = default;
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
};

// Of each by itself, and of all of them together. What is so of all routes is said once.
RouteFindings findings(const std::vector<RouteSettings>& routes, const std::string& file);

RouteConfiguration configuration_of(const RouteSettings& route);
// If the file has none: one for everybody who asks for the database of the target.
RouteConfiguration only_route(const Settings& settings, const Origins& origins);

// What is in force for a route, as far as it says something of its own.
std::vector<EffectiveSetting> effective_settings(const RouteSettings& route,
                                                 const std::string& file);

}  // namespace forebay::config
