// The tree is built from the parser's events. The library's own tree hides keys that are given
// twice and whatever follows the first document, and for some texts (a single comma) it has no end.
#include "forebay/yaml/yaml_tree.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace forebay::yaml {
namespace {

// Ten aliases of ten aliases grow fast.
constexpr int kMostDepth = 20;
constexpr int kMostValues = 200'000;

int line_of(const YAML::Mark& mark) { return mark.line + 1; }

struct Refusal {
  int line = 0;
  std::string text;
};

// How many characters stand between the quote at the beginning and the one that closes it; none: it
// is never closed.
std::optional<std::size_t> quoted_length(std::string_view text) {
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return i - 1;
      ++i;  // '' is a quote within
    }
  }
  return std::nullopt;
}

bool is_quote(char c) { return c == '"' || c == '\''; }

// What people did, where the library can only say that it is lost: the first line up to there that
// is indented with a tab, or whose value opens a quote and does not close it.
std::optional<Refusal> likely_mistake(std::string_view text, int last_line) {
  for (int number = 1; number <= last_line && !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    if (line.substr(0, begin).contains('\t') && begin < line.size() && line[begin] != '#')
      return Refusal{number, "is indented with a tab, where YAML wants spaces"};
    std::size_t value = line.find(": ");
    value = line.find_first_not_of(' ', value == std::string_view::npos ? begin : value + 1);
    if (value == std::string_view::npos || !is_quote(line[value])) continue;
    if (!quoted_length(line.substr(value)))
      return Refusal{number, "opens a quote and does not close it"};
  }
  return std::nullopt;
}

// Throws Refusal.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  YamlValue take() { return std::move(whole_.value); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    refuse(mark, "a second document starts here, or what is not YAML; a file holds one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(mark, leaf(mark, YamlValue::Kind::nothing, ""), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_open_quote(mark);
    add(mark, leaf(mark, YamlValue::Kind::text, text), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) refuse(mark, "an alias stands inside of what it names");
    add(mark, found->second, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(mark, YamlValue::Kind::list, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(mark, YamlValue::Kind::map, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  // A value with its size, which copies of it have as well.
  struct Branch {
    YamlValue value;
    int values = 1;
    int depth = 1;
  };
  // A list or map that has not ended.
  struct Open {
    Branch branch;
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    YamlEntry next;  // of a map, as soon as its key is there
    bool has_key = false;
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, std::string text) {
    throw Refusal{line_of(mark), std::move(text)};
  }

  // The library takes the end of the file for the end of the text.
  void refuse_open_quote(const YAML::Mark& mark) const {
    const auto place = static_cast<std::size_t>(mark.pos);
    if (place >= text_.size() || !is_quote(text_[place])) return;
    if (!quoted_length(text_.substr(place))) refuse(mark, "opens a quote that is never closed");
  }

  static Branch leaf(const YAML::Mark& mark, YamlValue::Kind kind, const std::string& text) {
    Branch branch;
    branch.value.kind = kind;
    branch.value.line = line_of(mark);
    branch.value.text = text;
    return branch;
  }

  void start(const YAML::Mark& mark, YamlValue::Kind kind, YAML::anchor_t anchor) {
    if (open_.size() >= kMostDepth) refuse_depth(mark);
    Open& open = open_.emplace_back();
    open.branch = leaf(mark, kind, "");
    open.mark = mark;
    open.anchor = anchor;
  }

  void end() {
    Open ended = std::move(open_.back());
    open_.pop_back();
    add(ended.mark, std::move(ended.branch), ended.anchor);
  }

  void add(const YAML::Mark& mark, Branch branch, YAML::anchor_t anchor) {
    if (anchor != 0) anchored_[anchor] = branch;
    if (open_.empty()) {
      whole_ = std::move(branch);
      return;
    }
    Open& open = open_.back();
    if (open.branch.value.kind == YamlValue::Kind::map && !open.has_key) {
      if (branch.value.kind != YamlValue::Kind::text)
        refuse(mark, "has a key that is not a word; write keys like max: 20");
      open.next.key = std::move(branch.value.text);
      open.next.line = line_of(mark);
      open.has_key = true;
      return;
    }
    open.branch.values += branch.values;
    open.branch.depth = std::max(open.branch.depth, branch.depth + 1);
    if (open.branch.values > kMostValues)
      refuse(mark, fmt::format("has more than {} values", kMostValues));
    if (open.branch.depth > kMostDepth) refuse_depth(mark);
    if (!open.has_key) open.next.line = line_of(mark);
    open.next.value = std::move(branch.value);
    open.branch.value.entries.push_back(std::exchange(open.next, {}));
    open.has_key = false;
  }

  [[noreturn]] static void refuse_depth(const YAML::Mark& mark) {
    refuse(mark, fmt::format("is nested more than {} deep", kMostDepth));
  }

  const std::string_view text_;
  int documents_ = 0;
  Branch whole_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Branch> anchored_;
};

}  // namespace

YamlReading read_yaml(std::string_view text) {
  YamlReading reading;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder tree(text);
    // The second round finds nothing, or ends in a refusal.
    for (int round = 0; round < 2 && parser.HandleNextDocument(tree); ++round) {
    }
    reading.value = tree.take();
  } catch (const Refusal& refusal) {
    reading.problem = refusal.text;
    reading.line = refusal.line;
  } catch (const YAML::Exception& error) {
    reading.problem = fmt::format("is not YAML: {}", error.msg);
    reading.line = error.mark.is_null() ? 0 : line_of(error.mark);
    if (const std::optional<Refusal> mistake = likely_mistake(text, reading.line)) {
      reading.problem = mistake->text;
      reading.line = mistake->line;
    }
  }
  return reading;
}

}  // namespace forebay::yaml
