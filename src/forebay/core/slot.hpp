// Slot: what the pool knows of one connection, from the approval to open it until it is gone.
//
// PoolState is its only mover, and counts the slots in each state. Opening, ready, lent, returned
// and discarded ones also stand in the queue of their state. The driver's connection itself is not
// known here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string_view>

#include "forebay/base/intrusive_heap.hpp"
#include "forebay/core/capacity.hpp"
#include "forebay/core/discard_reason.hpp"
#include "forebay/detail/base/intrusive_list.hpp"
#include "forebay/env/time.hpp"

namespace forebay {

enum class SlotState : std::uint8_t {
  opening,    // approved, not yet open
  ready,      // open, clean, unborrowed
  lent,       // in a caller's hands
  returned,   // given back, waiting for its reset to start
  resetting,  // its session is being cleared
  checking,   // taken out of ready to ask the server whether it lives
  discarded,  // waiting to be closed
  closing,    // saying goodbye; the server may still count it
};
inline constexpr std::size_t kSlotStates = 8;

constexpr std::string_view name(SlotState state) {
  constexpr std::array<std::string_view, kSlotStates> names = {
      "opening", "ready", "lent", "returned", "resetting", "checking", "discarded", "closing"};
  return names[static_cast<std::size_t>(state)];
}

// A caller without one, or a connection that nobody with one has used yet.
inline constexpr int kNoHome = -1;

struct Slot {
  Slot(std::uint64_t slot_id, Approval slot_approval)
      : id(slot_id), approval(std::move(slot_approval)) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  const std::uint64_t id;
  Approval approval;

  // What every look at a ready slot needs stands together.
  SlotState state = SlotState::opening;
  bool is_leaving = false;  // so close to retire_at that its replacement is wanted
  bool is_leak_reported = false;
  bool is_held = false;       // closing for long: the server has not let go
  int home = kNoHome;         // that of whoever used it last: see ReadyQueue
  Instant alive_at{};         // last time that the server was heard from through it
  Instant idle_since{};       // while ready
  ListLink<Slot> alive_link;  // while ready: in the order in which the server was last heard from
  ListLink<Slot> link;        // in the queue of its state, if that has one
  ListLink<Slot> home_link;   // while ready and not away: among those of its home

  // Set when it opens. expires_at is the end of its life; from stale_at on it is not handed out; at
  // retire_at, which is never later, it is due to be replaced.
  Instant opened_at{};
  Instant expires_at{};
  Instant stale_at{};
  Instant retire_at{};
  HeapPlace event_place;  // in the heap of things that will happen to slots
  Instant next_event{};
  ListLink<Slot> all_link;  // in the list of all slots

  static constexpr Instant kNeverTaken = Instant::min();
  Instant taken_at = kNeverTaken;  // the last time
  std::source_location taken_from;

  std::optional<DiscardReason> condemned;        // it goes as soon as nobody uses it
  DiscardReason reason = DiscardReason::closed;  // while discarded or closing
};

}  // namespace forebay
