#include "forebay/coordination/rate/rate_window.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay {
namespace {

// Of what is left of a second, as far as is known, a request gets this part at most: see
// RateBucket.
constexpr int kPartOfSecond = 4;

WallTime start_of(std::int64_t second) { return WallTime(std::chrono::seconds(second)); }

int whole(double rate) {
  FOREBAY_CHECK(rate >= 1 && rate <= 1e9, "a window needs at least one connect a second");
  return static_cast<int>(rate);
}

}  // namespace

RateWindow::RateWindow(const RateLimits& limits)
    : limit_(whole(limits.connects_per_second)), ahead_(limit_ / 2) {}

std::optional<RateWindow::Ask> RateWindow::ask(const TakeRequest& request) const {
  FOREBAY_CHECK(request.wanted > 0 && request.notice >= Duration::zero());
  const std::int64_t first = second_of(request.now + request.notice);
  for (const std::int64_t second : {first, first + 1}) {
    const int most = second > first ? ahead_ : limit_;
    const int left = most - count(second);
    if (left <= 0) continue;
    const int places = std::min(request.wanted, std::max(1, left / kPartOfSecond));
    // Fewer may be left than is known: the counter finds whether the part is still right.
    return Ask{second, places, places == 1 ? most : most - (kPartOfSecond - 1) * places};
  }
  return std::nullopt;
}

void RateWindow::note(std::int64_t second, int count) {
  const auto [known, is_new] = counts_.emplace(second, count);
  known->second = std::max(known->second, count);
  if (is_new) noted_.push_back(second);
  if (noted_.size() <= kSeconds) return;
  counts_.erase(noted_.front());
  noted_.pop_front();
}

TakeReply RateWindow::grant(const TakeRequest& request, const Ask& ask) const {
  TakeReply reply;
  reply.granted = ask.places;
  reply.now = request.now;
  reply.is_by_second = true;
  reply.earliest = request.now + request.notice;
  reply.first = std::max(reply.earliest, start_of(ask.second));
  reply.spacing = (start_of(ask.second + 1) - reply.first) / ask.places;
  reply.usable_until = start_of(ask.second + 1);
  return reply;
}

// The next second is given out in full as soon as it is the one in which a place could start.
TakeReply RateWindow::refuse(const TakeRequest& request) const {
  TakeReply reply;
  reply.now = request.now;
  reply.is_by_second = true;
  const std::int64_t next = second_of(request.now + request.notice) + 1;
  reply.retry_at = std::max(request.now, start_of(next) - request.notice);
  return reply;
}

int RateWindow::count(std::int64_t second) const {
  const auto found = counts_.find(second);
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace forebay
