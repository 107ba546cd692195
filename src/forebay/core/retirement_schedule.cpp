#include "forebay/core/retirement_schedule.hpp"

#include <algorithm>

namespace forebay {
namespace {

constexpr Duration kShortestPostponement = std::chrono::milliseconds(1);

// How long before its retirement a replacement is opened: time for a connect that is slower than
// usual, and never more than a quarter of a life.
Duration replacement_lead(const Slot& slot, Duration connect_time) {
  return std::min(4 * connect_time, (slot.retire_at - slot.opened_at) / 4);
}

}  // namespace

void RetirementSchedule::add(Slot& slot, int pool_size, Duration connect_time, Random& random) {
  slot.retire_at = spacer_.choose(slot.opened_at, slot.stale_at, pool_size, random);
  set(slot, slot.retire_at - replacement_lead(slot, connect_time));
}

void RetirementSchedule::remove(Slot& slot) {
  events_.remove(slot);
  spacer_.release(slot.retire_at);
}

void RetirementSchedule::set(Slot& slot, Instant at) {
  events_.remove(slot);
  slot.next_event = at;
  events_.push(slot);
}

void RetirementSchedule::postpone(Slot& slot, Instant now) {
  const Duration pause = std::max<Duration>(kShortestPostponement, (slot.stale_at - now) / 8);
  set(slot, std::min(slot.stale_at, now + pause));
}

Slot* RetirementSchedule::pop_due(Instant now) {
  if (events_.empty() || events_.front().next_event > now) return nullptr;
  return &events_.pop();
}

}  // namespace forebay
