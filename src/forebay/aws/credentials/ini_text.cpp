#include "forebay/aws/credentials/ini_text.hpp"

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

std::optional<std::pair<std::string, std::string>> key_and_value(std::string_view line,
                                                                 std::string_view signs) {
  const std::size_t middle = line.find_first_of(signs);
  if (middle == std::string_view::npos) return std::nullopt;
  return std::pair(lower_case(trimmed(line.substr(0, middle))),
                   std::string(trimmed(without_comment(line.substr(middle + 1)))));
}

class IniReader {
 public:
  void add_line(std::string_view line) {
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') return;
    const std::size_t indent = line.find_first_not_of(" \t");
    if (content.front() == '[') return begin_section(content, indent);
    if (sections_.empty()) return;
    if (!key_.empty() && indent > indent_) return add_to_group(content);
    indent_ = indent;
    key_.clear();
    const auto entry = key_and_value(content, "=:");
    if (!entry || entry->first.empty()) return;
    key_ = entry->first;
    sections_.back().values[key_] = entry->second;
  }
  std::vector<IniSection> take() { return std::move(sections_); }

 private:
  void begin_section(std::string_view content, std::size_t indent) {
    const std::size_t close = std::min(content.find(']'), content.size());
    IniSection section;
    section.name = trimmed(content.substr(1, close - 1));
    sections_.push_back(std::move(section));
    indent_ = indent;
    key_.clear();
  }
  // What belongs to a value that began on the key's own line is not needed by anybody here.
  void add_to_group(std::string_view content) {
    std::map<std::string, std::string>& values = sections_.back().values;
    if (!values[key_].empty()) return;
    if (const auto entry = key_and_value(content, "="))
      values[key_ + '.' + entry->first] = entry->second;
  }

  std::vector<IniSection> sections_;
  std::string key_;         // the last one; empty after the head of a section
  std::size_t indent_ = 0;  // of that line
};

}  // namespace

std::vector<IniSection> read_ini(std::string_view text) {
  IniReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.add_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.take();
}

}  // namespace forebay::aws
