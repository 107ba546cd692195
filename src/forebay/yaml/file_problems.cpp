#include "forebay/yaml/file_problems.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace forebay::yaml {

void FileProblems::stands_in(const std::string& path, int line) { lines_.emplace(path, line); }

void FileProblems::add(const std::string& path, const std::string& text) {
  add_at(line_of(path), path, text);
}

void FileProblems::add_at(int line, const std::string& path, const std::string& text) {
  const std::string place = line > 0 ? fmt::format("{}:{}", file_, line) : file_;
  refused_.insert(path);
  problems_.push_back({line, path.empty() ? fmt::format("{}: {}", place, text)
                                          : fmt::format("{}: {}: {}", place, path, text)});
}

void FileProblems::require(bool holds, const std::string& path,
                           std::initializer_list<std::string> others, const std::string& text) {
  if (holds || is_refused(path)) return;
  if (std::ranges::any_of(others, [&](const std::string& other) { return is_refused(other); }))
    return;
  add(path, text);
}

bool FileProblems::is_refused_within(const std::string& path) const {
  for (auto at = refused_.lower_bound(path); at != refused_.end(); ++at) {
    if (!at->starts_with(path)) return false;
    if (at->size() == path.size() || (*at)[path.size()] == '.' || (*at)[path.size()] == '[')
      return true;
  }
  return false;
}

std::vector<std::string> FileProblems::texts() const {
  // Those of one line stay in the order in which they were found.
  std::multimap<int, std::string> by_line;
  for (const Problem& problem : problems_) by_line.emplace(problem.line, problem.text);
  std::vector<std::string> texts;
  texts.reserve(by_line.size());
  for (auto& [line, text] : by_line) texts.push_back(std::move(text));
  return texts;
}

int FileProblems::line_of(std::string path) const {
  for (;;) {
    const auto found = lines_.find(path);
    if (found != lines_.end()) return found->second;
    const std::size_t last = path.find_last_of(".[");
    if (last == std::string::npos) return 0;
    path.resize(last);
  }
}

}  // namespace forebay::yaml
