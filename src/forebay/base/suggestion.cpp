#include "forebay/base/suggestion.hpp"

#include <algorithm>
#include <numeric>

namespace forebay {
namespace {

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

}  // namespace forebay
