// Field: one value of a file, read as what it should be.
//
// Whatever is wrong with the value becomes a problem, and the target keeps what it had, which is
// the default. So a reader asks for one field after the other and looks at the problems once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/env/time.hpp"
#include "forebay/env/value_text.hpp"
#include "forebay/yaml/file_problems.hpp"
#include "forebay/yaml/yaml_tree.hpp"

namespace forebay::yaml {

// Longer times mean nothing, and sums of them could overflow. The same as in PoolOptions.
inline constexpr Duration kLongestTime = std::chrono::hours(24 * 365);

enum class Zero : std::uint8_t { refused, allowed };

template <class Value>
struct Choice {
  std::string_view word;
  Value value;
};

class Field {
 public:
  // The value must outlive it. The path of the whole file is empty.
  Field(const YamlValue& value, std::string path, int line, FileProblems& problems);

  const std::string& path() const { return path_; }
  std::string_view key() const;  // the last part of the path
  void refuse(const std::string& text) const { problems_.add_at(line_, path_, text); }

  void read(bool& into) const;
  void read(std::string& into) const;
  void read(std::vector<std::string>& into) const;  // a list of words
  void read_seed(std::uint64_t& into) const;
  void read_whole(int& into, int least, int most) const;
  void read_whole(std::optional<int>& into, int least, int most) const;
  void read_number(double& into, double least, double most) const;
  void read_fraction(double& into, Zero zero) const;  // at most 1
  void read_time(Duration& into, Zero zero) const;
  void read_time(std::optional<Duration>& into, Zero zero) const;
  void read_time_or_off(std::optional<Duration>& into) const;  // off: nothing
  void read_time_or_off(Duration& into) const;                 // off: Duration::max()
  void read_time_to_either_side(Duration& into) const;         // it may be negative, but not zero

  // True: it is one of them.
  template <class Value, std::size_t count>
  bool read_choice(Value& into, const std::array<Choice<Value>, count>& choices) const {
    std::vector<std::string> words;
    words.reserve(count);
    for (const Choice<Value>& choice : choices) words.emplace_back(choice.word);
    const std::optional<std::size_t> chosen = index_of(words);
    if (chosen) into = choices[*chosen].value;
    return chosen.has_value();
  }

  // As it stands. Nothing, and a problem: it is none, but a list, say.
  std::optional<std::string_view> text(std::string_view expected) const;
  int line() const { return line_; }

  // Of a map: those whose key is known. The others, and a key that is given twice, are problems.
  std::vector<Field> entries(const std::vector<std::string>& known) const;
  // Of a map whose keys are names of the user's own: each with its text. Nothing, and problems: a
  // name comes twice, or something else than a text stands there.
  bool is_group() const { return value_.kind == YamlValue::Kind::map; }
  std::optional<std::vector<std::pair<std::string, std::string>>> pairs() const;
  // Of a list.
  bool is_list() const { return value_.kind == YamlValue::Kind::list; }
  std::vector<Field> items() const;

 private:
  template <class T>
  void accept(const ReadValue<T>& value, T& into) const {
    if (value) {
      into = *value;
    } else {
      refuse(value.error());
    }
  }
  std::optional<double> number() const;
  std::optional<Duration> time() const;
  std::optional<std::size_t> index_of(const std::vector<std::string>& words) const;
  void refuse_kind(std::string_view expected) const;
  std::string unknown_name(const std::string& key) const;

  const YamlValue& value_;
  std::string path_;
  int line_;
  FileProblems& problems_;
};

// A key of a map and how to read it.
template <class Into>
struct Key {
  std::string_view name;
  void (*read)(const Field& field, Into& into);
};

template <class Into, std::size_t count>
std::vector<std::string> names(const std::array<Key<Into>, count>& keys) {
  std::vector<std::string> names;
  names.reserve(count);
  for (const Key<Into>& key : keys) names.emplace_back(key.name);
  return names;
}

// In the order of the keys, not of the file: a later key may refine what an earlier one set.
template <class Into, std::size_t count>
void read_map(const Field& map, const std::array<Key<Into>, count>& keys, Into& into) {
  const std::vector<Field> fields = map.entries(names(keys));
  for (const Key<Into>& key : keys) {
    for (const Field& field : fields) {
      if (key.name == field.key()) key.read(field, into);
    }
  }
}

}  // namespace forebay::yaml
