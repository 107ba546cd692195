#include "forebay/core/slot_table.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "forebay/detail/base/check.hpp"

namespace forebay {

void SlotTable::add(Slot& slot) {
  FOREBAY_CHECK(slot.state == SlotState::opening);
  all_.push_back(slot);
  opening_.push_back(slot);
}

void SlotTable::remove(Slot& slot) {
  FOREBAY_CHECK(slot.state == SlotState::opening || slot.state == SlotState::closing);
  if (slot.is_held) --held_;
  leave(slot);
  all_.erase(slot);
}

void SlotTable::move(Slot& slot, SlotState to) {
  leave(slot);
  restate(slot, to);
  enter(slot);
}

void SlotTable::enter(Slot& slot) {
  switch (slot.state) {
    case SlotState::opening: opening_.push_back(slot); return;
    case SlotState::ready: ready_.add(slot); return;
    case SlotState::lent: lent_.push_back(slot); return;
    case SlotState::returned: returned_.push_back(slot); return;
    case SlotState::resetting: ++resetting_; return;
    case SlotState::checking: FOREBAY_CHECK(false, "only begin_check() leads there"); return;
    case SlotState::discarded: discarded_.push_back(slot); return;
    case SlotState::closing: ++closing_; return;
  }
  std::unreachable();
}

void SlotTable::leave(Slot& slot) {
  switch (slot.state) {
    case SlotState::opening: opening_.erase(slot); return;
    case SlotState::ready: ready_.remove(slot); return;
    case SlotState::lent: lent_.erase(slot); return;
    case SlotState::returned: returned_.erase(slot); return;
    case SlotState::resetting: --resetting_; return;
    case SlotState::checking: ready_.remove_away(slot); return;
    case SlotState::discarded: discarded_.erase(slot); return;
    case SlotState::closing: --closing_; return;
  }
  std::unreachable();
}

int SlotTable::count(SlotState state) const {
  switch (state) {
    case SlotState::opening: return as_int(opening_.size());
    case SlotState::ready: return ready_.size();
    case SlotState::lent: return as_int(lent_.size());
    case SlotState::returned: return as_int(returned_.size());
    case SlotState::resetting: return resetting_;
    case SlotState::checking: return ready_.away();
    case SlotState::discarded: return as_int(discarded_.size());
    case SlotState::closing: return closing_;
  }
  std::unreachable();
}

void SlotTable::begin_check(Slot& slot) {
  FOREBAY_CHECK(slot.state == SlotState::ready);
  restate(slot, SlotState::checking);
  ready_.send_away(slot);
}

void SlotTable::end_check(Slot& slot, Instant alive_at) {
  FOREBAY_CHECK(slot.state == SlotState::checking);
  restate(slot, SlotState::ready);
  ready_.put_back(slot, alive_at);
}

void SlotTable::set_leaving(Slot& slot, bool is_leaving) {
  count_leaving(slot, -1);
  slot.is_leaving = is_leaving;
  count_leaving(slot, +1);
}

void SlotTable::note_held(Slot& slot) {
  FOREBAY_CHECK(slot.state == SlotState::closing && !slot.is_held);
  slot.is_held = true;
  ++held_;
}

std::string SlotTable::text() const {
  std::string text;
  for (std::size_t i = 0; i < kSlotStates; ++i) {
    const auto state = static_cast<SlotState>(i);
    text += fmt::format(" {} {}", name(state), count(state));
  }
  return text;
}

void SlotTable::audit() const {
  std::array<int, kSlotStates> counts{};
  int leaving = 0;
  int leaving_lent = 0;
  int held = 0;
  for (const Slot* slot = first(); slot != nullptr; slot = after(*slot)) {
    ++counts[static_cast<std::size_t>(slot->state)];
    if (slot->is_leaving) ++(slot->state == SlotState::lent ? leaving_lent : leaving);
    if (slot->is_held) ++held;
    FOREBAY_CHECK(!slot->is_held || slot->state == SlotState::closing, text());
  }
  ready_.audit();
  for (std::size_t i = 0; i < kSlotStates; ++i) {
    FOREBAY_CHECK(counts[i] == count(static_cast<SlotState>(i)), text());
  }
  FOREBAY_CHECK(leaving == leaving_ && leaving_lent == leaving_lent_, text());
  FOREBAY_CHECK(held == held_, text());
  for (const Slot* slot = opening_.front(); slot != nullptr; slot = opening_after(*slot)) {
    FOREBAY_CHECK(slot->state == SlotState::opening, text());
  }
  for (const Slot* slot = longest_lent(); slot != nullptr; slot = lent_after(*slot)) {
    const Slot* const next = lent_after(*slot);
    FOREBAY_CHECK(slot->state == SlotState::lent, text());
    FOREBAY_CHECK(next == nullptr || slot->taken_at <= next->taken_at, text());
  }
}

}  // namespace forebay
