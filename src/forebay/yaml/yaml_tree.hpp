// YamlValue: a YAML document as a tree of texts with line numbers. The one place that knows the
// YAML library; what the texts mean is for others to say. JSON is YAML, too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace forebay::yaml {

struct YamlEntry;

struct YamlValue {
  enum class Kind : std::uint8_t { nothing, text, list, map };

  Kind kind = Kind::nothing;
  int line = 0;                    // counted from 1
  std::string text;                // of a text
  std::vector<YamlEntry> entries;  // of a list or a map, as they stand; a key may come twice
};

struct YamlEntry {
  std::string key;  // of a map
  int line = 0;
  YamlValue value;
};

struct YamlReading {
  YamlValue value;
  std::string problem;  // empty: there is none
  int line = 0;         // of the problem; 0: of no line in particular
};

// Refuses what is not YAML, more than one document, keys that are not plain words, and what is
// deeper or larger than any file that somebody wrote by hand.
YamlReading read_yaml(std::string_view text);

}  // namespace forebay::yaml
