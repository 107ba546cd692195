#include "forebay/aws/credentials/profiles.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "forebay/aws/credentials/ini_text.hpp"
#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {
namespace {

std::string_view unquoted(std::string_view name) {
  const bool is_quoted = name.size() >= 2 && (name.front() == '"' || name.front() == '\'') &&
                         name.front() == name.back();
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

// "profile x" is the x of the kind "profile". Nothing: it is of another kind.
std::optional<std::string> name_after(std::string_view kind, std::string_view section) {
  if (!section.starts_with(kind)) return std::nullopt;
  section.remove_prefix(kind.size());
  if (!section.starts_with(' ') && !section.starts_with('\t')) return std::nullopt;
  return std::string(unquoted(trimmed(section)));
}

bool is_of_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

// The name of a variable at the front of "NAME..." or "{NAME}...", and how long that is. Nothing:
// there is none.
std::optional<std::pair<std::string_view, std::size_t>> variable_name(std::string_view text) {
  if (text.starts_with('{')) {
    const std::size_t close = text.find('}');
    if (close == std::string_view::npos) return std::nullopt;
    return std::pair(text.substr(1, close - 1), close + 1);
  }
  const auto end = std::ranges::find_if_not(text, &is_of_name);
  const auto size = static_cast<std::size_t>(end - text.begin());
  if (size == 0) return std::nullopt;
  return std::pair(text.substr(0, size), size);
}

}  // namespace

std::string value_at(const Profile& profile, const std::string& key) {
  const auto found = profile.find(key);
  return found == profile.end() ? std::string() : found->second;
}

void Profiles::Named::add(const std::string& name, const Profile& values) {
  Profile& profile = all_[name];
  for (const auto& [key, value] : values) profile[key] = value;
}

const Profile* Profiles::Named::find(const std::string& name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

const Profile& Profiles::Named::at(const std::string& name) const {
  static const Profile none;
  const Profile* const found = find(name);
  return found == nullptr ? none : *found;
}

void Profiles::add_config(std::string_view text) {
  for (const IniSection& section : read_ini(text)) {
    std::optional<std::string> profile = name_after("profile", section.name);
    if (section.name == "default") profile = section.name;
    if (profile) {
      config_.add(*profile, section.values);
      merged_.add(*profile, section.values);
    }
    if (const auto session = name_after("sso-session", section.name))
      sso_sessions_.add(*session, section.values);
    if (const auto services = name_after("services", section.name))
      services_.add(*services, section.values);
  }
}

void Profiles::add_credentials(std::string_view text) {
  for (const IniSection& section : read_ini(text)) {
    const std::string name(unquoted(section.name));
    credentials_.add(name, section.values);
    merged_.add(name, section.values);
  }
}

std::string expanded_path(const Machine& machine, std::string_view path) {
  std::string expanded;
  while (!path.empty()) {
    const char letter = path.front();
    path.remove_prefix(1);
    const auto name = letter == '$' ? variable_name(path) : std::nullopt;
    const auto value = name ? machine.variable(name->first) : std::nullopt;
    // Of a variable that is not set, the name stays.
    expanded += value ? *value : std::string(1, letter);
    if (value) path.remove_prefix(name->second);
  }
  if (expanded == "~" || expanded.starts_with("~/"))
    expanded.replace(0, 1, machine.variable("HOME").value_or(""));
  return expanded;
}

Task<Profiles> load_profiles(AwsEnv env) {
  const Machine& machine = env.machine;
  Profiles profiles;
  for (const char* const name : {"AWS_DEFAULT_PROFILE", "AWS_PROFILE"}) {
    const std::optional<std::string> chosen = machine.variable(name);
    if (!chosen || !profiles.chosen_by.empty()) continue;
    profiles.chosen_by = name;
    profiles.selected_name = *chosen;
  }
  const auto path = [&machine](std::string_view variable, const char* usual) {
    return expanded_path(machine, machine.variable(variable).value_or(usual));
  };
  profiles.config_path = path("AWS_CONFIG_FILE", "~/.aws/config");
  profiles.credentials_path = path("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials");
  const Result<std::string> config = co_await env.read_file(profiles.config_path);
  if (config) profiles.add_config(*config);
  const Result<std::string> keys = co_await env.read_file(profiles.credentials_path);
  if (keys) profiles.add_credentials(*keys);
  co_return profiles;
}

}  // namespace forebay::aws
