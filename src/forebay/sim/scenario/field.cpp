#include "forebay/sim/scenario/field.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "forebay/base/suggestion.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::sim {
namespace {

constexpr std::size_t kMostShown = 40;
constexpr int kMostListed = 30;

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Without what people confuse: target_ready, TargetReady and target-ready are targetReady.
std::string squashed(std::string_view word) {
  std::string result;
  for (const char c : word) {
    if (c != '_' && c != '-') result += lowered(c);
  }
  return result;
}

std::string_view in_words(Zero zero) {
  return zero == Zero::allowed ? "zero or more" : "more than zero";
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, kMostShown)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  // Not half a letter at the end.
  if (text.size() > kMostShown) {
    while (!result.empty() && static_cast<unsigned char>(result.back()) >= 0x80) result.pop_back();
    result += "...";
  }
  return fmt::format("\"{}\"", result);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const auto same = std::ranges::find(known, squashed(word), squashed);
  std::string near = same != known.end() ? *same : "";
  if (near.empty() && word.size() <= kMostShown) near = nearest(word, known);
  if (!near.empty()) return fmt::format("; did you mean {}?", near);
  if (std::ssize(known) <= kMostListed) return fmt::format("; known here: {}", joined(known));
  const std::vector<std::string> first(known.begin(), known.begin() + kMostListed);
  return fmt::format("; known here: {} and others", joined(first));
}

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
      return refuse(fmt::format("{} stands where {} is expected", shown(value_.text), expected));
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
  static constexpr std::array<Choice<bool>, 6> kWords{{{"true", true},
                                                       {"false", false},
                                                       {"yes", true},
                                                       {"no", false},
                                                       {"on", true},
                                                       {"off", false}}};
  const std::optional<std::string_view> word = text("true or false");
  if (!word) return;
  const auto found = std::ranges::find(
      kWords, squashed(*word), [](const Choice<bool>& choice) { return std::string(choice.word); });
  if (found == kWords.end())
    return refuse(fmt::format("{} is neither true nor false", shown(*word)));
  into = found->value;
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
  if (!word) return;
  const std::optional<std::int64_t> number = parse_number<std::int64_t>(*word);
  if (!number)
    return refuse(fmt::format("{} is not a whole number; write it like 50", shown(*word)));
  if (*number < least || *number > most)
    return refuse(fmt::format("{} is not between {} and {}", *number, least, most));
  into = static_cast<int>(*number);
}

void Field::read_whole(std::optional<int>& into, int least, int most) const {
  int number = least - 1;
  read_whole(number, least, most);
  if (number >= least) into = number;
}

std::optional<double> Field::number() const {
  const std::optional<std::string_view> word = text("a number like 0.5");
  if (!word) return std::nullopt;
  const std::optional<double> number = parse_number<double>(*word);
  if (!number) refuse(fmt::format("{} is not a number; write it like 0.5", shown(*word)));
  return number;
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
  const std::optional<Duration> time = parse_duration(*word);
  if (!time) {
    refuse(fmt::format("{} is not a time; write it with its unit, like 250ms, 5s, 1m30s or 2h",
                       shown(*word)));
  }
  return time;
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
  if (value_.kind == YamlValue::Kind::text && squashed(value_.text) == "off") {
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
  const auto found = std::ranges::find(words, *word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  refuse(fmt::format("{} is unknown{}", shown(*word), suggestion(*word, words)));
  return std::nullopt;
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
    const std::string name =
        is_known ? entry.key : shown(entry.key).substr(1, shown(entry.key).size() - 2);
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

}  // namespace forebay::sim
