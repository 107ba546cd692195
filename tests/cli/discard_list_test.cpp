// Reasons for discards, in the space there is.
#include "forebay/cli/demo/discard_list.hpp"

#include <gtest/gtest.h>

namespace forebay::cli {
namespace {

using Lines = std::vector<std::string>;

PoolCounters counters() {
  PoolCounters counters;
  counters.discards[static_cast<std::size_t>(DiscardReason::idle)] = 5;
  counters.discards[static_cast<std::size_t>(DiscardReason::broken)] = 1'000;
  counters.discards[static_cast<std::size_t>(DiscardReason::shrunk)] = 7;
  return counters;
}

TEST(DiscardListTest, TheMostFrequentReasonComesFirst) {
  const DiscardList list(counters());

  EXPECT_EQ(list.total(), 1'012u);
  EXPECT_EQ(list.lines(80, 1), Lines{"1,000 broken, 7 shrunk, 5 idle"});
}

TEST(DiscardListTest, WithoutRoomTheRestIsCounted) {
  const DiscardList list(counters());

  EXPECT_EQ(list.lines(23, 1), Lines{"1,000 broken, 12 others"});
  EXPECT_EQ(list.lines(1, 1), Lines{"1,000 broken, 12 others"});
  EXPECT_EQ(list.lines(23, 2), (Lines{"1,000 broken, 7 shrunk,", "5 idle"}));
}

TEST(DiscardListTest, NothingDiscardedIsOneEmptyLine) {
  EXPECT_EQ(DiscardList(PoolCounters()).lines(80, 2), Lines{""});
}

}  // namespace
}  // namespace forebay::cli
