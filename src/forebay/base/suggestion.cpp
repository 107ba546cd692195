#include "forebay/base/suggestion.hpp"

#include <algorithm>
#include <numeric>

#include "forebay/base/ascii_text.hpp"

namespace forebay {
namespace {

constexpr std::size_t kMostShown = 40;
constexpr std::ptrdiff_t kMostListed = 30;

std::string squashed(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c != '_' && c != '-') result += lower_case(c);
  }
  return result;
}

// How many letters must be added, dropped or changed to make one word of the other (Levenshtein).
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = 3;  // two mistakes are typing, three are another word
  for (const std::string& candidate : known) {
    const bool is_beginning = word.size() > 3 && candidate.starts_with(word);
    const std::size_t mistakes = is_beginning ? 1 : distance(word, candidate);
    if (mistakes >= least) continue;
    least = mistakes;
    best = candidate;
  }
  return best;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  const auto same = std::ranges::find(known, squashed(name), squashed);
  if (same != known.end()) return *same;
  return name.size() <= kMostShown ? nearest(name, known) : "";
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  if (!near.empty()) return "; did you mean " + near + "?";
  if (std::ssize(known) <= kMostListed) return "; known here: " + joined(known);
  const std::vector<std::string> first(known.begin(), known.begin() + kMostListed);
  return "; known here: " + joined(first) + " and others";
}

std::string shown(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, kMostShown)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  // Not half a letter at the end.
  if (text.size() > kMostShown) {
    while (static_cast<unsigned char>(result.back()) >= 0x80) result.pop_back();
    result += "...";
  }
  return result + "\"";
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : ", ") + word;
  return result;
}

}  // namespace forebay
