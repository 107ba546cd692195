#include "forebay/yaml/field.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "forebay/base/ascii_text.hpp"
#include "forebay/base/number_text.hpp"
#include "forebay/base/suggestion.hpp"
#include "forebay/env/duration_text.hpp"
#include "forebay/env/value_text.hpp"

namespace forebay::yaml {
namespace {

std::string_view in_words(Zero zero) {
  return zero == Zero::allowed ? "zero or more" : "more than zero";
}

}  // namespace

Field::Field(const YamlValue& value, std::string path, int line, FileProblems& problems)
    : value_(value), path_(std::move(path)), line_(line), problems_(problems) {
  if (!path_.empty()) problems_.stands_in(path_, line_);
}

std::string_view Field::key() const {
  const std::size_t dot = path_.find_last_of('.');
  return std::string_view(path_).substr(dot == std::string::npos ? 0 : dot + 1);
}

void Field::refuse_kind(std::string_view expected) const {
  switch (value_.kind) {
    case YamlValue::Kind::nothing:
      return refuse(fmt::format("there is no value; write {}, or leave the key out", expected));
    case YamlValue::Kind::text:
      return refuse(fmt::format(
          "{} stands where {} is expected",
          problems_.hides_stray_texts() ? "a text (not shown)" : shown(value_.text), expected));
    case YamlValue::Kind::list:
      return refuse(fmt::format("a list stands where {} is expected", expected));
    case YamlValue::Kind::map:
      return refuse(fmt::format("keys stand where {} is expected", expected));
  }
}

std::optional<std::string_view> Field::text(std::string_view expected) const {
  if (value_.kind == YamlValue::Kind::text) return value_.text;
  refuse_kind(expected);
  return std::nullopt;
}

void Field::read(bool& into) const {
  const std::optional<std::string_view> word = text("true or false");
  if (word) accept(bool_value(*word), into);
}

void Field::read(std::string& into) const {
  const std::optional<std::string_view> word = text("a text");
  if (word) into = *word;
}

void Field::read(std::vector<std::string>& into) const {
  std::vector<std::string> words;
  for (const Field& item : items()) item.read(words.emplace_back());
  into = std::move(words);
}

void Field::read_seed(std::uint64_t& into) const {
  const std::optional<std::string_view> word = text("a whole number like 42");
  if (!word) return;
  const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(*word);
  if (!number) {
    return refuse(
        fmt::format("{} is not a whole number from 0 to 2^64 - 1; write it like 42", shown(*word)));
  }
  into = *number;
}

void Field::read_whole(int& into, int least, int most) const {
  const std::optional<std::string_view> word = text("a whole number like 50");
  if (word) accept(whole_value(*word, least, most), into);
}

void Field::read_whole(std::optional<int>& into, int least, int most) const {
  int number = least - 1;
  read_whole(number, least, most);
  if (number >= least) into = number;
}

std::optional<double> Field::number() const {
  const std::optional<std::string_view> word = text("a number like 0.5");
  if (!word) return std::nullopt;
  const ReadValue<double> number = number_value(*word);
  if (number) return *number;
  refuse(number.error());
  return std::nullopt;
}

void Field::read_number(double& into, double least, double most) const {
  const std::optional<double> found = number();
  if (!found) return;
  // Written so that "nan" is refused, too.
  if (!(*found >= least && *found <= most))
    return refuse(fmt::format("{} is not between {} and {}", *found, least, most));
  into = *found;
}

void Field::read_fraction(double& into, Zero zero) const {
  const std::optional<double> found = number();
  if (!found) return;
  const bool is_large_enough = zero == Zero::allowed ? *found >= 0 : *found > 0;
  if (!is_large_enough || !(*found <= 1))
    return refuse(fmt::format("{} is not {} and at most 1", *found, in_words(zero)));
  into = *found;
}

std::optional<Duration> Field::time() const {
  const std::optional<std::string_view> word = text("a time like 30s");
  if (!word) return std::nullopt;
  const ReadValue<Duration> time = time_value(*word);
  if (time) return *time;
  refuse(time.error());
  return std::nullopt;
}

void Field::read_time(Duration& into, Zero zero) const {
  const std::optional<Duration> found = time();
  if (!found) return;
  const bool is_long_enough =
      zero == Zero::allowed ? *found >= Duration::zero() : *found > Duration::zero();
  if (!is_long_enough || *found > kLongestTime) {
    return refuse(
        fmt::format("{} is not {} and at most 365 days", duration_text(*found), in_words(zero)));
  }
  into = *found;
}

void Field::read_time(std::optional<Duration>& into, Zero zero) const {
  Duration found(-1);
  read_time(found, zero);
  if (found >= Duration::zero()) into = found;
}

void Field::read_time_or_off(std::optional<Duration>& into) const {
  if (value_.kind == YamlValue::Kind::text && is_same_name(value_.text, "off")) {
    into.reset();
  } else {
    read_time(into, Zero::refused);
  }
}

void Field::read_time_or_off(Duration& into) const {
  std::optional<Duration> found = into;
  read_time_or_off(found);
  into = found.value_or(Duration::max());
}

void Field::read_time_to_either_side(Duration& into) const {
  const std::optional<Duration> found = time();
  if (!found) return;
  if (*found == Duration::zero() || *found > kLongestTime || *found < -kLongestTime) {
    return refuse(
        fmt::format("{} is not a time of at most 365 days, forward or, with a minus, back",
                    duration_text(*found)));
  }
  into = *found;
}

std::optional<std::size_t> Field::index_of(const std::vector<std::string>& words) const {
  const std::optional<std::string_view> word = text("one of " + joined(words));
  if (!word) return std::nullopt;
  const ReadValue<std::size_t> place = choice_value(*word, words);
  if (place) return *place;
  refuse(place.error());
  return std::nullopt;
}

std::string Field::unknown_name(const std::string& key) const {
  // "password:secret" without a blank is one word.
  if (problems_.hides_stray_texts() && key.find_first_of(":@=") != std::string::npos)
    return "(not shown)";
  const std::string quoted = shown(key);
  return quoted.substr(1, quoted.size() - 2);
}

std::vector<Field> Field::entries(const std::vector<std::string>& known) const {
  std::vector<Field> fields;
  if (value_.kind != YamlValue::Kind::map) {
    refuse_kind(fmt::format("a group of keys like {}", known.front()));
    return fields;
  }
  std::map<std::string_view, int> first_lines;
  for (const YamlEntry& entry : value_.entries) {
    const auto [first, is_new] = first_lines.emplace(entry.key, entry.line);
    const bool is_known = std::ranges::find(known, entry.key) != known.end();
    const std::string name = is_known ? entry.key : unknown_name(entry.key);
    const std::string path = path_.empty() ? name : fmt::format("{}.{}", path_, name);
    if (!is_new) {
      problems_.add_at(entry.line, path,
                       fmt::format("given twice, first in line {}; keep one", first->second));
    } else if (!is_known) {
      problems_.add_at(entry.line, path, "unknown key" + suggestion(entry.key, known));
    } else {
      fields.emplace_back(entry.value, path, entry.line, problems_);
    }
  }
  return fields;
}

std::optional<std::vector<std::pair<std::string, std::string>>> Field::pairs() const {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::map<std::string_view, int> first_lines;
  bool is_right = true;
  for (const YamlEntry& entry : value_.entries) {
    const std::string path = fmt::format("{}.{}", path_, unknown_name(entry.key));
    const Field field(entry.value, path, entry.line, problems_);
    const auto [first, is_new] = first_lines.emplace(entry.key, entry.line);
    if (!is_new)
      field.refuse(fmt::format("given twice, first in line {}; keep one", first->second));
    const std::optional<std::string_view> word = field.text("a text");
    is_right &= is_new && word;
    if (word) pairs.emplace_back(entry.key, *word);
  }
  if (!is_right) return std::nullopt;
  return pairs;
}

std::vector<Field> Field::items() const {
  std::vector<Field> fields;
  if (value_.kind != YamlValue::Kind::list) {
    refuse_kind("a list");
    return fields;
  }
  for (std::size_t i = 0; i < value_.entries.size(); ++i) {
    const YamlEntry& entry = value_.entries[i];
    fields.emplace_back(entry.value, fmt::format("{}[{}]", path_, i), entry.line, problems_);
  }
  return fields;
}

}  // namespace forebay::yaml
