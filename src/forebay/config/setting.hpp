// Setting: one row of the table from which configurations are read, shown and documented.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "forebay/config/settings.hpp"
#include "forebay/env/value_text.hpp"

namespace forebay::config {

// The type of what a file may also give as a group of keys, whose names are the user's own.
inline constexpr std::string_view kNamesAndValues = "names and values";
// The types of what a file may also give as a list.
inline constexpr std::string_view kNames = "names, with commas between";
inline constexpr std::string_view kAddresses = "addresses, with commas between";

// How a word becomes a value of the settings and back again.
struct SettingValue {
  std::string_view type;  // "whole number", "time" ..., for people
  // What is wrong with the word, and nothing has changed then; or nothing.
  std::optional<std::string> (*read)(std::string_view word, Settings& settings);
  // A word that is read back as the same value; empty: it is not set.
  std::string (*word)(const Settings& settings);
};

enum class Wrong : std::uint8_t {
  refused,
  is_false,  // a variable that is neither true nor false counts as false, with a warning
};

enum class Secrecy : std::uint8_t {
  none,
  secret,  // never shown
  in_url,  // a connection string: shown without the password
};

struct Setting {
  std::string_view key;       // in a file: "reservoir.target_ready"
  std::string_view variable;  // of the environment
  SettingValue value;
  std::string_view help;
  std::string_view otherwise = {};  // in words, what holds if it is not set
  std::string_view option = {};     // that it sets, "pool.size.max", if not called as the key
  Wrong wrong = Wrong::refused;
  Secrecy secrecy = Secrecy::none;

  bool may_be_group() const { return value.type == kNamesAndValues; }
  bool may_be_list() const { return value.type == kNames || value.type == kAddresses; }
  std::string_view group() const { return key.substr(0, key.find('.')); }
  std::string_view name() const { return key.substr(key.find('.') + 1); }
  std::string_view option_name() const { return option.empty() ? key : option; }
  // What is shown of the value: no secrets, and what holds if it is not set.
  std::string shown_value(const Settings& settings) const;
};

// All that there are, in the order of the reference; those of a group stand together.
std::span<const Setting> all_settings();

// Those of them that only the proxy has, "proxy.".
std::span<const Setting> proxy_settings();

// REQUIRES: there is such a key.
const Setting& setting_of(std::string_view key);

// The one that sets the option, "pool.size.max". Null: none does.
const Setting* setting_of_option(std::string_view option);

}  // namespace forebay::config
