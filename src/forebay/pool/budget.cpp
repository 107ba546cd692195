#include "forebay/pool/budget.hpp"

#include <algorithm>

namespace forebay {

void Budget::set_max(int max) {
  capacity_.set_max(max);
  pass_on();
}

void Budget::stand_in_line(Place& place, RoomNeed need) {
  bool is_news = false;  // for whoever makes room: somebody has begun to need it, or needs it more
  {
    MutexLock lock(mutex_);
    const bool is_new = !place.link_.is_linked();
    is_news = is_new || need < place.need_;
    if (is_new || place.need_ != need) {
      if (!is_new) line(place.need_).erase(place);
      place.need_ = need;
      line(need).push_back(place);
    }
  }
  // What was given back before we stood in line was granted to nobody.
  if (capacity_.room() > 0) pass_on();
  if (is_news && on_short_) on_short_();
}

void Budget::leave_line(Place& place) {
  MutexLock lock(mutex_);
  if (place.link_.is_linked()) line(place.need_).erase(place);
  limit_calls();
}

// Under the lock, so that no pool dies between being found here and being notified.
void Budget::pass_on() {
  MutexLock lock(mutex_);
  for (Line& each : lines_) {
    while (Place* first = each.front()) {
      if (!capacity_.try_grant(first->capacity_)) return;
      each.erase(*first);
      first->attention_.notify();
      ++grants_;
      limit_calls();
    }
  }
}

int Budget::in_line(RoomNeed need) const {
  MutexLock lock(mutex_);
  return static_cast<int>(lines_[static_cast<std::size_t>(need)].size());
}

void Budget::call(int approvals) {
  MutexLock lock(mutex_);
  capacity_.call(std::min(approvals, all_in_line()));
}

std::uint64_t Budget::grants() const {
  MutexLock lock(mutex_);
  return grants_;
}

int Budget::all_in_line() const {
  std::size_t all = 0;
  for (const Line& each : lines_) all += each.size();
  return static_cast<int>(all);
}

void Budget::limit_calls() {
  if (capacity_.calls() > all_in_line()) capacity_.call(all_in_line());
}

}  // namespace forebay
