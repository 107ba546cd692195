#include "forebay/proxy/session/client_parameters.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "forebay/wire/protocol/violation.hpp"

namespace forebay::proxy {
namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_any_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::any_of(
      names, [name](std::string_view known) { return is_same_parameter(known, name); });
}

// Their values are lists of names. SET would take a text for one name.
bool is_list(std::string_view name) {
  static constexpr auto kLists = std::to_array<std::string_view>(
      {"search_path", "temp_tablespaces", "session_preload_libraries", "local_preload_libraries"});
  return is_any_of(name, kLists);
}

// A text for any server: its standard_conforming_strings may be off.
void add_quoted(std::string& sql, std::string_view value) {
  if (value.find('\\') != std::string_view::npos) sql += 'E';
  sql += '\'';
  for (const char letter : value) {
    if (letter == '\'' || letter == '\\') sql += letter;
    sql += letter;
  }
  sql += '\'';
}

// "a.b" has two parts.
void add_name(std::string& sql, std::string_view name) {
  sql += '"';
  for (const char letter : name) {
    if (letter == '.') {
      sql += "\".\"";
      continue;
    }
    if (letter == '"') sql += letter;
    sql += lower(letter);
  }
  sql += '"';
}

void add_set(std::string& sql, std::string_view name, std::string_view value) {
  if (is_list(name)) {
    sql += "SELECT pg_catalog.set_config(";
    add_quoted(sql, name);
    sql += ", ";
    add_quoted(sql, value);
    sql += ", false);";
    return;
  }
  sql += "SET ";
  add_name(sql, name);
  sql += " TO ";
  add_quoted(sql, value);
  sql += ';';
}

void add_reset(std::string& sql, std::string_view name) {
  sql += "RESET ";
  add_name(sql, name);
  sql += ';';
}

const Setting* find_setting(const std::vector<Setting>& settings, std::string_view name) {
  const auto found = std::ranges::find_if(
      settings, [name](const Setting& one) { return is_same_parameter(one.first, name); });
  return found == settings.end() ? nullptr : &*found;
}

void put(std::vector<Setting>& settings, std::string name, std::string value) {
  const auto found = std::ranges::find_if(
      settings, [&name](const Setting& one) { return is_same_parameter(one.first, name); });
  if (found != settings.end()) {
    found->second = std::move(value);
  } else {
    settings.emplace_back(std::move(name), std::move(value));
  }
}

// Words of the options, as PostgreSQL splits them: a backslash keeps the next letter.
std::vector<std::string> words_of(std::string_view options) {
  std::vector<std::string> words;
  bool is_inside = false;
  for (std::size_t at = 0; at < options.size(); ++at) {
    const char letter = options[at];
    if (letter == ' ' || (letter >= '\t' && letter <= '\r')) {
      is_inside = false;
      continue;
    }
    if (!is_inside) words.emplace_back();
    is_inside = true;
    const bool is_kept = letter == '\\' && at + 1 < options.size();
    words.back() += is_kept ? options[++at] : letter;
  }
  return words;
}

// "name=value"; in options a hyphen stands for an underscore in the name.
bool add_assignment(std::string_view text, std::vector<Setting>& wanted) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  std::string name(text.substr(0, equals));
  std::ranges::replace(name, '-', '_');
  put(wanted, std::move(name), std::string(text.substr(equals + 1)));
  return true;
}

bool add_options(std::string_view options, std::vector<Setting>& wanted) {
  const std::vector<std::string> words = words_of(options);
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::string_view word = words[at];
    if (word == "-c" && at + 1 < words.size()) {
      word = words[++at];
    } else if (word.starts_with("--") || word.starts_with("-c")) {
      word.remove_prefix(2);
    } else {
      return false;
    }
    if (!add_assignment(word, wanted)) return false;
  }
  return true;
}

bool is_no_parameter(std::string_view name) {
  return name == "user" || name == "database" || name == "replication" || name == "options" ||
         name.starts_with("_pq_.");
}

}  // namespace

bool is_same_parameter(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, lower, lower);
}

Parameters::const_iterator find_parameter(const Parameters& parameters, std::string_view name) {
  const auto exact = parameters.find(name);
  if (exact != parameters.end()) return exact;
  return std::ranges::find_if(
      parameters, [name](const auto& one) { return is_same_parameter(one.first, name); });
}

bool is_fixed_parameter(std::string_view name) {
  static constexpr auto kFixed =
      std::to_array<std::string_view>({"server_version", "server_encoding", "integer_datetimes",
                                       "is_superuser", "session_authorization", "in_hot_standby"});
  return is_any_of(name, kFixed);
}

Result<std::vector<Setting>> wanted_at_start(const std::vector<Setting>& packet) {
  std::vector<Setting> wanted;
  // The server takes the options first.
  for (const auto& [name, value] : packet) {
    if (name == "options" && !add_options(value, wanted)) {
      return failure(wire::violation("options may hold -c name=value and --name=value only",
                                     wire::kNotSupported));
    }
    if (name == "replication" && value != "false" && value != "off" && value != "no" &&
        value != "0") {
      return failure(wire::violation("replication does not go through a pool of connections",
                                     wire::kNotSupported));
    }
  }
  for (const auto& [name, value] : packet)
    if (!is_no_parameter(name)) put(wanted, name, value);
  std::ranges::sort(wanted);
  return wanted;
}

void ClientParameters::note(std::string_view name, std::string_view value,
                            const ServerPicture& server) {
  if (is_fixed_parameter(name)) return;
  const Setting* const wish = find_setting(start_, name);
  const auto by_itself = server.defaults.find(name);
  const bool is_back = wish != nullptr
                           ? wish->second == value
                           : by_itself != server.defaults.end() && by_itself->second == value;
  if (is_back) {
    std::erase_if(changed_, [name](const Setting& one) { return one.first == name; });
  } else {
    put(changed_, std::string(name), std::string(value));
  }
}

bool ClientParameters::began_with(std::string_view name) const {
  return find_setting(start_, name) != nullptr;
}

const std::string* ClientParameters::find(std::string_view name) const {
  const Setting* found = find_setting(changed_, name);
  if (found == nullptr) found = find_setting(start_, name);
  return found != nullptr ? &found->second : nullptr;
}

std::string ClientParameters::fitting_sql(const ServerPicture& server) const {
  std::string sql;
  for (const auto& [name, value] : server.reported) {
    if (is_fixed_parameter(name)) continue;
    if (const std::string* const wish = find(name)) {
      if (*wish != value) add_set(sql, name, *wish);
      continue;
    }
    const auto by_itself = server.defaults.find(name);
    if (by_itself != server.defaults.end() && by_itself->second != value) add_reset(sql, name);
  }
  for (const auto& [name, value] : start_) {
    if (find_parameter(server.reported, name) != server.reported.end()) continue;
    const auto there = find_parameter(server.applied, name);
    if (there == server.applied.end() || there->second != value) add_set(sql, name, value);
  }
  for (const auto& [name, value] : server.applied)
    if (find_setting(start_, name) == nullptr) add_reset(sql, name);
  return sql;
}

void ClientParameters::fitted(ServerPicture& server) const {
  server.applied.clear();
  for (const auto& [name, value] : start_) {
    if (find_parameter(server.reported, name) == server.reported.end())
      server.applied.insert_or_assign(name, value);
  }
  // Its defaults may have changed since it began.
  for (auto& [name, value] : server.defaults) {
    const auto now = server.reported.find(name);
    if (find(name) == nullptr && now != server.reported.end()) value = now->second;
  }
}

std::string ClientParameters::restoring_sql(const std::vector<wire::SettingChange>& changes) const {
  std::string sql;
  for (const auto& [name, value] : start_) {
    const bool is_reset = std::ranges::any_of(changes, [&name](const wire::SettingChange& one) {
      return one.is_reset && (one.name.empty() || is_same_parameter(one.name, name));
    });
    if (is_reset) add_set(sql, name, value);
  }
  return sql;
}

bool StartMemory::recall(const std::vector<Setting>& asked, std::vector<Setting>& into) const {
  const MutexLock lock(mutex_);
  const auto found = known_.find(asked);
  if (found == known_.end()) return false;
  into = found->second;
  return true;
}

void StartMemory::remember(const std::vector<Setting>& asked, std::vector<Setting> made_of_it) {
  const MutexLock lock(mutex_);
  if (known_.size() >= kMostStarts) known_.clear();
  known_.insert_or_assign(asked, std::move(made_of_it));
}

void StartMemory::forget() {
  const MutexLock lock(mutex_);
  known_.clear();
}

// One that was forgotten costs the next client a comparison with each server, and no more.
std::uint64_t StartMemory::serial_of(const std::vector<Setting>& settings, std::uint64_t unused) {
  const MutexLock lock(mutex_);
  if (serials_.size() >= kMostStarts && !serials_.contains(settings)) serials_.clear();
  return serials_.try_emplace(settings, unused).first->second;
}

}  // namespace forebay::proxy
