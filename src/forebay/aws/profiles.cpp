#include "forebay/aws/profiles.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "forebay/base/ascii_text.hpp"

namespace forebay::aws {
namespace {

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = 1; at < line.size(); ++at) {
    const bool is_sign = line[at] == '#' || line[at] == ';';
    if (is_sign && (line[at - 1] == ' ' || line[at - 1] == '\t')) return line.substr(0, at);
  }
  return line;
}

std::string_view unquoted(std::string_view name) {
  const bool is_quoted = name.size() >= 2 && (name.front() == '"' || name.front() == '\'') &&
                         name.front() == name.back();
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

// The profile that a section of a file is about. Nothing: it is about something else.
std::optional<std::string> profile_of(std::string_view section, bool is_config) {
  section = trimmed(section);
  constexpr std::string_view kWord = "profile";
  const bool has_word = section.starts_with(kWord) && section.size() > kWord.size() &&
                        (section[kWord.size()] == ' ' || section[kWord.size()] == '\t');
  if (is_config && has_word) return std::string(unquoted(trimmed(section.substr(kWord.size()))));
  if (is_config && section != "default") return std::nullopt;
  return std::string(unquoted(section));
}

std::string expanded(const Machine& machine, const std::string& path) {
  if (!path.starts_with("~/")) return path;
  return machine.variable("HOME").value_or("") + path.substr(1);
}

}  // namespace

std::string value_at(const Profile& profile, const std::string& key) {
  const auto found = profile.find(key);
  return found == profile.end() ? std::string() : found->second;
}

void Profiles::add_config(std::string_view text) { add(text, Kind::config); }
void Profiles::add_credentials(std::string_view text) { add(text, Kind::credentials); }

void Profiles::add(std::string_view text, Kind kind) {
  Profile* current = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (content.front() == '[') {
      const std::size_t close = content.find(']');
      const std::optional<std::string> name =
          profile_of(content.substr(1, close - 1), kind == Kind::config);
      current = name ? &profiles_[*name] : nullptr;
      continue;
    }
    const std::size_t equals = content.find('=');
    const bool is_indented = line.front() == ' ' || line.front() == '\t';
    if (current == nullptr || is_indented || equals == std::string_view::npos) continue;
    (*current)[lower_case(trimmed(content.substr(0, equals)))] =
        trimmed(without_comment(content.substr(equals + 1)));
  }
}

const Profile* Profiles::find(const std::string& name) const {
  const auto found = profiles_.find(name);
  return found == profiles_.end() ? nullptr : &found->second;
}

const Profile& Profiles::selected() const {
  static const Profile none;
  const Profile* const found = find(selected_name);
  return found == nullptr ? none : *found;
}

Task<Profiles> load_profiles(Machine& machine) {
  Profiles profiles;
  const std::optional<std::string> chosen = machine.variable("AWS_PROFILE");
  profiles.is_chosen = chosen.has_value();
  if (chosen) profiles.selected_name = *chosen;

  const std::string config =
      expanded(machine, machine.variable("AWS_CONFIG_FILE").value_or("~/.aws/config"));
  const std::string keys = expanded(
      machine, machine.variable("AWS_SHARED_CREDENTIALS_FILE").value_or("~/.aws/credentials"));
  profiles.paths.push_back(config);
  profiles.paths.push_back(keys);
  const Result<std::string> config_text = co_await machine.read_file(config);
  if (config_text) profiles.add_config(*config_text);
  const Result<std::string> keys_text = co_await machine.read_file(keys);
  if (keys_text) profiles.add_credentials(*keys_text);
  co_return profiles;
}

}  // namespace forebay::aws
