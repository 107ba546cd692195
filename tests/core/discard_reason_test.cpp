// The names of reasons and states: they are labels and log fields, so changing one
// breaks somebody's graph.
#include "forebay/core/discard_reason.hpp"

#include <set>

#include <gtest/gtest.h>

#include "forebay/core/pool_counters.hpp"
#include "forebay/core/slot.hpp"

namespace forebay {
namespace {

TEST(DiscardReasonTest, TheSeedReasonsKeepTheirNames) {
  EXPECT_EQ(name(DiscardReason::insufficient_remaining_lifetime),
            "insufficient_remaining_lifetime");
  EXPECT_EQ(name(DiscardReason::expired_on_checkout), "expired_on_checkout");
  EXPECT_EQ(name(DiscardReason::expired_on_return), "expired_on_return");
  EXPECT_EQ(name(DiscardReason::expired_on_scan), "expired_on_scan");
  EXPECT_EQ(name(DiscardReason::expiring_soon_on_scan), "expiring_soon_on_scan");
  EXPECT_EQ(name(DiscardReason::reservoir_full), "reservoir_full");
}

TEST(DiscardReasonTest, OursKeepTheirNames) {
  EXPECT_EQ(name(DiscardReason::replaced), "replaced");
  EXPECT_EQ(name(DiscardReason::idle), "idle");
  EXPECT_EQ(name(DiscardReason::broken), "broken");
  EXPECT_EQ(name(DiscardReason::reset_failed), "reset_failed");
  EXPECT_EQ(name(DiscardReason::check_failed), "check_failed");
  EXPECT_EQ(name(DiscardReason::hook_failed), "hook_failed");
  EXPECT_EQ(name(DiscardReason::shrunk), "shrunk");
  EXPECT_EQ(name(DiscardReason::discarded), "discarded");
  EXPECT_EQ(name(DiscardReason::closed), "closed");
}

TEST(DiscardReasonTest, EveryReasonHasItsOwnNameAndCounter) {
  std::set<std::string_view> names;
  PoolCounters counters;

  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    names.insert(name(static_cast<DiscardReason>(i)));
    counters.discards[i] = i + 1;
  }

  EXPECT_EQ(names.size(), kDiscardReasons);
  EXPECT_FALSE(names.contains(""));
  EXPECT_EQ(static_cast<std::size_t>(DiscardReason::closed) + 1, kDiscardReasons);
  EXPECT_EQ(counters.discarded(DiscardReason::closed), kDiscardReasons);
}

TEST(SlotStateTest, EveryStateHasItsName) {
  EXPECT_EQ(name(SlotState::opening), "opening");
  EXPECT_EQ(name(SlotState::ready), "ready");
  EXPECT_EQ(name(SlotState::lent), "lent");
  EXPECT_EQ(name(SlotState::returned), "returned");
  EXPECT_EQ(name(SlotState::resetting), "resetting");
  EXPECT_EQ(name(SlotState::checking), "checking");
  EXPECT_EQ(name(SlotState::discarded), "discarded");
  EXPECT_EQ(name(SlotState::closing), "closing");
  EXPECT_EQ(static_cast<std::size_t>(SlotState::closing) + 1, kSlotStates);
}

}  // namespace
}  // namespace forebay
