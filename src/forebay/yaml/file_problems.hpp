// FileProblems: everything that is wrong with a file, one line each, in the order of the file.
//
// A place is named by its path, as in "services[1].targetReady". The reader of a value says in
// which line it stands; problems found later find the line by the path.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace forebay::yaml {

// Whether problems quote texts that stand where none belongs: they may be passwords.
enum class StrayTexts : std::uint8_t { shown, hidden };

class FileProblems {
 public:
  explicit FileProblems(std::string file, StrayTexts stray_texts = StrayTexts::shown)
      : file_(std::move(file)), stray_texts_(stray_texts) {}

  void stands_in(const std::string& path, int line);
  void add(const std::string& path, const std::string& text);
  void add_at(int line, const std::string& path, const std::string& text);
  // Adds it unless it holds. Nothing is said if the place, or one of the other places that it
  // depends on, has a problem already: what stands there now is a default.
  void require(bool holds, const std::string& path, std::initializer_list<std::string> others,
               const std::string& text);

  bool empty() const { return problems_.empty(); }
  bool hides_stray_texts() const { return stray_texts_ == StrayTexts::hidden; }
  bool is_given(const std::string& path) const { return lines_.contains(path); }
  bool is_refused(const std::string& path) const { return refused_.contains(path); }
  // It, or something inside it.
  bool is_refused_within(const std::string& path) const;

  // "file.yaml:12: services[1].targetReady: ..."; without line or path where there is none.
  std::vector<std::string> texts() const;

 private:
  struct Problem {
    int line = 0;
    std::string text;
  };

  // Of the place, or of the nearest one around it; 0: the file does not mention it.
  int line_of(std::string path) const;

  const std::string file_;
  const StrayTexts stray_texts_;
  std::map<std::string, int> lines_;
  std::set<std::string> refused_;
  std::vector<Problem> problems_;
};

}  // namespace forebay::yaml
