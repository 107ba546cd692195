#include "forebay/pool/budget.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "forebay/detail/base/mutex.hpp"
#include "forebay/pool/budget_place.hpp"

namespace forebay {

struct Budget::Parts {
  using Line = IntrusiveList<Place, &Place::link_>;

  Parts(int max, std::function<void()> is_short)
      : on_short(std::move(is_short)), capacity(max, nullptr, [this] { pass_on(); }) {}

  Line& line(RoomNeed need) FOREBAY_REQUIRES(mutex) {
    return lines[static_cast<std::size_t>(need)];
  }
  void pass_on();
  Place* grant_one();
  int all_in_line() const FOREBAY_REQUIRES(mutex);
  void limit_calls() FOREBAY_REQUIRES(mutex);

  const std::function<void()> on_short;
  mutable Mutex mutex;
  std::array<Line, kRoomNeeds> lines FOREBAY_GUARDED_BY(mutex);
  std::uint64_t grants FOREBAY_GUARDED_BY(mutex) = 0;
  Capacity capacity;
};

Budget::Budget(int max, std::function<void()> on_short)
    : parts_(std::make_unique<Parts>(max, std::move(on_short))) {}

Budget::~Budget() = default;

void Budget::set_max(int max) {
  parts_->capacity.set_max(max);
  parts_->pass_on();
}

int Budget::max() const { return parts_->capacity.max(); }

int Budget::in_use() const { return parts_->capacity.approved(); }

Capacity& Budget::capacity() { return parts_->capacity; }

int Budget::coming() const { return parts_->capacity.room() + parts_->capacity.going(); }

void Budget::stand_in_line(Place& place, RoomNeed need) {
  Parts& parts = *parts_;
  bool is_news =
      false;  // for the code that makes room: somebody has begun to need it, or needs it more
  {
    MutexLock lock(parts.mutex);
    const bool is_new = !place.link_.is_linked();
    is_news = is_new || need < place.need_;
    if (is_new || place.need_ != need) {
      if (!is_new) parts.line(place.need_).erase(place);
      place.need_ = need;
      parts.line(need).push_back(place);
    }
  }
  // What was given back before we stood in line was granted to nobody.
  if (parts.capacity.room() > 0) parts.pass_on();
  if (is_news && parts.on_short) parts.on_short();
}

void Budget::leave_line(Place& place) {
  Parts& parts = *parts_;
  MutexLock lock(parts.mutex);
  if (place.link_.is_linked()) parts.line(place.need_).erase(place);
  parts.limit_calls();
}

void Budget::Parts::pass_on() {
  while (Place* granted = grant_one()) {
    granted->attention_.notify();
    granted->last_calls_.end();
  }
}

// Null: there is no room, or nobody stands in line.
Budget::Place* Budget::Parts::grant_one() {
  MutexLock lock(mutex);
  for (Line& each : lines) {
    Place* const first = each.front();
    if (first == nullptr) continue;
    if (!capacity.try_grant(first->capacity_)) return nullptr;
    each.erase(*first);
    first->last_calls_.begin();  // so that its pool does not die before it is notified
    ++grants;
    limit_calls();
    return first;
  }
  return nullptr;
}

int Budget::in_line(RoomNeed need) const {
  MutexLock lock(parts_->mutex);
  return static_cast<int>(parts_->lines[static_cast<std::size_t>(need)].size());
}

void Budget::call(int approvals) {
  MutexLock lock(parts_->mutex);
  parts_->capacity.call(std::min(approvals, parts_->all_in_line()));
}

std::uint64_t Budget::grants() const {
  MutexLock lock(parts_->mutex);
  return parts_->grants;
}

int Budget::Parts::all_in_line() const {
  std::size_t all = 0;
  for (const Line& each : lines) all += each.size();
  return static_cast<int>(all);
}

void Budget::Parts::limit_calls() {
  if (capacity.calls() > all_in_line()) capacity.call(all_in_line());
}

}  // namespace forebay
