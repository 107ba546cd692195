#include "forebay/sim/result/series_text.hpp"

#include <iterator>

#include <fmt/format.h>

namespace forebay::sim {
namespace {

void add_run(std::string& text, std::int64_t difference, std::uint64_t times) {
  const auto end = std::back_inserter(text);
  if (!text.empty()) text += ',';
  fmt::format_to(end, "{}", difference);
  if (times > 1) fmt::format_to(end, "*{}", times);
}

}  // namespace

void SeriesText::add(std::int64_t value) {
  const std::int64_t difference = value - last_;
  last_ = value;
  if (times_ > 0 && difference == difference_) {
    ++times_;
    return;
  }
  if (times_ > 0) add_run(ended_, difference_, times_);
  difference_ = difference;
  times_ = 1;
}

std::string SeriesText::text() const {
  std::string text = ended_;
  if (times_ > 0) add_run(text, difference_, times_);
  return text;
}

}  // namespace forebay::sim
