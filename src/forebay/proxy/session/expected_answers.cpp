#include "forebay/proxy/session/expected_answers.hpp"

namespace forebay::proxy {
namespace {

// A pipeline that is longer gives its memory back when it is over.
constexpr std::size_t kKeptPipeline = 16;
// So many that have been answered are in front before they go: a client that always has something
// under way never comes to the end of its pipeline.
constexpr std::size_t kMostAnswered = 64;

}  // namespace

void ExpectedAnswers::pop() {
  ++begin_;
  if (begin_ < all_.size() && (begin_ < kMostAnswered || begin_ < all_.size() / 2)) return;
  all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
}

void ExpectedAnswers::pop_back() {
  all_.pop_back();
  if (empty()) {
    all_.clear();
    begin_ = 0;
  }
}

void ExpectedAnswers::erase(std::size_t place, std::size_t count) {
  const auto first = all_.begin() + static_cast<std::ptrdiff_t>(begin_ + place);
  all_.erase(first, first + static_cast<std::ptrdiff_t>(count));
  if (!empty()) return;
  all_.clear();
  begin_ = 0;
}

std::size_t ExpectedAnswers::before_sync() const {
  std::size_t count = 0;
  while (count < size() && all_[begin_ + count].type != 'S') ++count;
  return count;
}

void ExpectedAnswers::shrink() {
  if (empty() && all_.capacity() > kKeptPipeline) all_ = {};
}

}  // namespace forebay::proxy
