// Ten million ids from eight threads on four nodes: none twice, and each greater than all of its
// node that were there before it was asked for.
#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/env/real/system_wall_clock.hpp"
#include "forebay/ids/snowflake.hpp"

namespace forebay {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kIdsInAll = 400'000;
#else
constexpr std::size_t kIdsInAll = 10'000'000;
#endif
constexpr std::size_t kThreads = 8;

struct SnowflakeNode {
  SnowflakeNode(const WallClock& clock, int number) : node(number), ids(clock, node) {}
  FixedNode node;
  SnowflakeGenerator ids;
  std::atomic<std::int64_t> latest{-1};  // no greater than the greatest id
};

// False: an id was missing, or out of order.
bool make_ids(SnowflakeNode& node, std::vector<std::int64_t>& made) {
  for (std::int64_t& slot : made) {
    std::int64_t before = node.latest.load();
    const Result<std::int64_t> id = node.ids.next();
    if (!id || *id <= before) return false;
    while (before < *id && !node.latest.compare_exchange_weak(before, *id)) {
    }
    slot = *id;
  }
  return true;
}

TEST(SnowflakeStressTest, EightThreadsOnFourNodesMakeNoIdTwice) {
  const real::SystemWallClock clock;
  std::deque<SnowflakeNode> nodes;
  for (const int number : {0, 1, 512, 1023}) nodes.emplace_back(clock, number);
  std::vector<std::vector<std::int64_t>> made(kThreads);
  std::atomic<int> well = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        made[i].resize(kIdsInAll / kThreads);
        if (make_ids(nodes[i % nodes.size()], made[i])) ++well;
      });
    }
  }
  EXPECT_EQ(well, static_cast<int>(kThreads));

  // What one thread got is sorted already, so that eight lists need only be merged.
  std::vector<std::int64_t> all;
  for (std::vector<std::int64_t>& ids : made) {
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    std::vector<std::int64_t> merged;
    merged.reserve(all.size() + ids.size());
    std::ranges::merge(all, ids, std::back_inserter(merged));
    all.swap(merged);
    std::vector<std::int64_t>().swap(ids);
  }
  EXPECT_EQ(all.size(), kIdsInAll);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

}  // namespace
}  // namespace forebay
