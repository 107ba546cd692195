// value_of<path>: how the value at the end of a path of members is read and written as a word.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "forebay/base/ascii_text.hpp"
#include "forebay/config/listen_text.hpp"
#include "forebay/config/session_settings_text.hpp"
#include "forebay/config/setting.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::config {

// Words of a type with few values. Each such type specializes it: pairs of word and value.
template <class Enum>
struct Words;

std::string number_word(double value);  // the shortest that is read back as the same number

// What a type is called, and how its values are read and written.
template <class T>
struct ValueText {  // an enumeration
  static constexpr std::string_view kType = Words<T>::kType;
  static ReadValue<T> read(std::string_view word) {
    std::vector<std::string> words;
    words.reserve(Words<T>::kWords.size());
    for (const auto& [name, value] : Words<T>::kWords) words.emplace_back(name);
    const ReadValue<std::size_t> place = choice_value(word, words);
    if (!place) return std::unexpected(place.error());
    return Words<T>::kWords[*place].second;
  }
  static std::string word(const T& value) {
    for (const auto& [name, known] : Words<T>::kWords) {
      if (known == value) return std::string(name);
    }
    return "";
  }
};

template <>
struct ValueText<std::string> {
  static constexpr std::string_view kType = "text";
  static ReadValue<std::string> read(std::string_view word) { return std::string(word); }
  static std::string word(const std::string& value) { return value; }
};

template <>
struct ValueText<bool> {
  static constexpr std::string_view kType = "true or false";
  static ReadValue<bool> read(std::string_view word) { return bool_value(word); }
  static std::string word(bool value) { return value ? "true" : "false"; }
};

template <>
struct ValueText<int> {
  static constexpr std::string_view kType = "whole number";
  static ReadValue<int> read(std::string_view word) { return whole_value(word); }
  static std::string word(int value) { return std::to_string(value); }
};

template <>
struct ValueText<double> {
  static constexpr std::string_view kType = "number";
  static ReadValue<double> read(std::string_view word) { return number_value(word); }
  static std::string word(double value) { return number_word(value); }
};

template <>
struct ValueText<Duration> {
  static constexpr std::string_view kType = "time";
  static ReadValue<Duration> read(std::string_view word) { return time_value(word); }
  static std::string word(Duration value) { return duration_text(value); }
};

// A time that may be switched off, which options write as Duration::max().
struct TimeOrOff {
  static constexpr std::string_view kType = "time, or off";
  static ReadValue<Duration> read(std::string_view word) {
    return is_same_name(word, "off") ? Duration::max() : time_value(word);
  }
  static std::string word(Duration value) {
    return value == Duration::max() ? "off" : duration_text(value);
  }
};

// The same, and 0 is off too: so it is in Go's database/sql, from where these settings come.
struct TimeOrNever : TimeOrOff {
  static ReadValue<Duration> read(std::string_view word) {
    const ReadValue<Duration> time = TimeOrOff::read(word);
    return time && *time == Duration::zero() ? Duration::max() : time;
  }
};

template <>
struct ValueText<StuckClose> {
  static constexpr std::string_view kType = "keep_place, or give_up_after and a time";
  static ReadValue<StuckClose> read(std::string_view word) {
    if (is_same_name(word, "keep_place")) return StuckClose::keep_place();
    constexpr std::string_view kGiveUp = "give_up_after ";
    if (!word.starts_with(kGiveUp))
      return std::unexpected("must be keep_place, or give_up_after and a time (give_up_after 30s)");
    const ReadValue<Duration> time = time_value(word.substr(kGiveUp.size()));
    if (!time) return std::unexpected(time.error());
    return StuckClose::give_up_after(*time);
  }
  static std::string word(StuckClose value) {
    return value.keeps_place() ? "keep_place" : "give_up_after " + duration_text(value.limit());
  }
};

template <>
struct ValueText<std::vector<std::string>> {
  static constexpr std::string_view kType = kNames;
  static ReadValue<std::vector<std::string>> read(std::string_view word) {
    return names_value(word);
  }
  static std::string word(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }
};

template <>
struct ValueText<std::vector<StreamAddress>> {
  static constexpr std::string_view kType = kAddresses;
  static ReadValue<std::vector<StreamAddress>> read(std::string_view word) {
    return listen_value(word);
  }
  static std::string word(const std::vector<StreamAddress>& places) { return listen_text(places); }
};

template <>
struct ValueText<SessionSettings> {
  static constexpr std::string_view kType = kNamesAndValues;
  static ReadValue<SessionSettings> read(std::string_view word) {
    return session_settings_value(word);
  }
  static std::string word(const SessionSettings& value) { return session_settings_text(value); }
};

// Of a value that may not be set, with the words of one that is.
template <class T, class Text>
struct OptionalText {
  static constexpr std::string_view kType = Text::kType;
  static ReadValue<std::optional<T>> read(std::string_view word) { return Text::read(word); }
  static std::string word(const std::optional<T>& value) { return value ? Text::word(*value) : ""; }
};

template <class T>
struct ValueText<std::optional<T>> : OptionalText<T, ValueText<T>> {};

template <class Text, auto... path>
constexpr SettingValue value_with() {
  return {Text::kType,
          [](std::string_view word, Settings& settings) -> std::optional<std::string> {
            auto value = Text::read(word);
            if (!value) return std::move(value.error());
            (settings.*....*path) = std::move(*value);
            return std::nullopt;
          },
          [](const Settings& settings) { return Text::word((settings.*....*path)); }};
}

template <auto... path>
constexpr SettingValue value_of() {
  using Value = std::remove_cvref_t<decltype((std::declval<Settings&>().*....*path))>;
  return value_with<ValueText<Value>, path...>();
}

}  // namespace forebay::config
