// Node numbers: who gets which, what happens when a process dies, is cut off or hears nothing, and
// that no id is made twice in all that.
#include "forebay/coordination/nodes/node_lease.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/node_world.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;

class NodeLeaseTest : public testing::Test {
 protected:
  void run_for(Duration time) { world_.scheduler.run_for(time); }
  NodeRecord record(int number) {
    for (const NodeRecord& record : world_.model.list()) {
      if (record.number == number) return record;
    }
    return NodeRecord(-1);
  }
  static Task<void> wait(NodeLease& lease, Instant deadline, std::optional<Result<int>>& result) {
    Result<int> node = co_await lease.wait_for_node(deadline);
    result.emplace(std::move(node));
  }
  void start_waiting(NodeProcess& process, Duration limit, std::optional<Result<int>>& result) {
    result.reset();
    const Instant deadline = world_.scheduler.now() + limit;
    start_detached(world_.scheduler, wait(*process.lease, deadline, result));
  }

  NodeWorld world_;
};

TEST_F(NodeLeaseTest, ProcessesGetDifferentNumbersAndKeepThem) {
  std::set<int> numbers;
  for (int i = 0; i < 30; ++i) world_.add();
  run_for(1s);
  for (const auto& process : world_.processes) numbers.insert(process->node());
  EXPECT_EQ(numbers.size(), 30u);
  EXPECT_FALSE(numbers.contains(-1));

  const int number = world_.processes[0]->node();
  run_for(1h);
  EXPECT_EQ(world_.processes[0]->node(), number);
  EXPECT_EQ(world_.processes[0]->lease->losses(), 0u);
}

TEST_F(NodeLeaseTest, OfProcessesThatWantTheSameNumberOneGetsIt) {
  world_.occupy(1);
  NodeProcess& first = world_.add();
  NodeProcess& second = world_.add();
  run_for(1s);
  EXPECT_EQ(std::max(first.node(), second.node()), 0);
  EXPECT_EQ(std::min(first.node(), second.node()), -1);
  NodeProcess& loser = first.node() == 0 ? second : first;
  EXPECT_THAT(loser.trouble(), HasSubstr("all 1024 are taken"));
  EXPECT_EQ(loser.ids->next().error().code(), Errc::connect_failed);
}

TEST_F(NodeLeaseTest, AReleasedNumberIsFreeAtOnceAndItsTimesAreNot) {
  world_.occupy(1);
  NodeProcess& first = world_.add();
  run_for(1s);
  ASSERT_EQ(first.node(), 0);
  EXPECT_EQ(first.close(), true);
  EXPECT_THAT(first.trouble(), HasSubstr("closed"));
  EXPECT_EQ(record(0).holder, "");
  const std::int64_t until = record(0).ids_until;
  first.ids.reset();
  first.lease.reset();

  NodeProcess& second = world_.add();
  run_for(1s);
  ASSERT_EQ(second.node(), 0);
  // It could have been used ahead of time: the clock must come close to the end of that first.
  EXPECT_THAT(second.ids->next().error().text(), HasSubstr("node 0 was another process's before"));
  std::optional<Result<int>> waited;
  start_waiting(second, 10s, waited);
  run_for(11s);
  ASSERT_TRUE(waited);
  EXPECT_EQ(waited->error().code(), Errc::timed_out);
  EXPECT_THAT(waited->error().text(), HasSubstr("node number 0 was another process's before"));
  start_waiting(second, 3min, waited);
  while (!waited) ASSERT_TRUE(world_.scheduler.step());
  EXPECT_EQ(waited->value(), 0);
  const std::int64_t id = second.ids->next().value();
  EXPECT_GT(second.ids->decode(id).time.time_since_epoch().count(), until);
}

TEST_F(NodeLeaseTest, TheNumberOfADeadProcessIsTakenOverAfterItsTtlAndNotBefore) {
  world_.occupy(1);
  NodeProcess& first = world_.add();
  run_for(10min);
  ASSERT_EQ(first.node(), 0);
  NodeProcess& second = world_.add();
  run_for(10min);
  ASSERT_EQ(first.node(), 0);
  ASSERT_EQ(second.node(), -1);
  first.die();

  run_for(2min - 1s);
  EXPECT_EQ(second.node(), -1);
  run_for(4min);
  EXPECT_EQ(second.node(), 0);
}

TEST_F(NodeLeaseTest, WhoIsCutOffStopsBeforeAnybodyElseMayStart) {
  world_.occupy(1);
  NodeProcess& first = world_.add();
  run_for(1s);
  NodeProcess& second = world_.add();
  run_for(5min);
  ASSERT_EQ(first.node(), 0);
  first.cut_off();
  const Instant cut = world_.scheduler.now();
  while (first.node() == 0) ASSERT_TRUE(world_.scheduler.step());
  EXPECT_GE(world_.scheduler.now() - cut, 2min);
  EXPECT_LE(world_.scheduler.now() - cut, 3min + 5s);
  EXPECT_EQ(second.node(), -1);
  EXPECT_THAT(first.trouble(), HasSubstr("node number 0 could not be renewed in time"));
  EXPECT_THAT(first.trouble(), HasSubstr("the store is away"));

  run_for(4min);
  EXPECT_EQ(second.node(), 0);
  first.reconnect();
  run_for(10s);
  EXPECT_EQ(first.node(), -1);
  EXPECT_EQ(first.lease->losses(), 1u);
}

TEST_F(NodeLeaseTest, AShortOutageCostsNothingAndALongOneNoNumber) {
  NodeProcess& first = world_.add();
  run_for(1s);
  const int number = first.node();
  first.cut_off();
  run_for(90s);
  EXPECT_EQ(first.node(), number);
  run_for(30min);
  EXPECT_EQ(first.node(), -1);
  first.reconnect();
  run_for(10s);
  EXPECT_EQ(first.node(), number);
  EXPECT_EQ(first.lease->losses(), 0u);
}

TEST_F(NodeLeaseTest, AClaimWhoseReplyWasLostIsFoundOut) {
  for (const Fate fate : {Fate::lost_reply, Fate::lost_request, Fate::late}) {
    NodeProcess& process = world_.add();
    process.store.fate = [fate](const std::string& step, int number) {
      return step == "claim" && number == 2 ? fate : Fate::answered;
    };
    run_for(10s);
    EXPECT_GE(process.node(), 0);
  }
}

TEST_F(NodeLeaseTest, AClaimThatNeverArrivedIsNotCalledATakeover) {
  NodeProcess& process = world_.add();
  int listings = 0;
  process.store.fate = [&](const std::string& step, int) {
    if (step == "list") ++listings;
    return step == "claim" || listings == 2 ? Fate::lost_request : Fate::answered;
  };
  // The second begins when a renewal has told that the number is not ours.
  while (listings < 2) ASSERT_TRUE(world_.scheduler.step());
  EXPECT_THAT(process.trouble(), HasSubstr("a node number could not be claimed"));
  EXPECT_EQ(process.lease->losses(), 0u);
}

// The second process's clock is an hour behind that of the first one, which has died.
TEST_F(NodeLeaseTest, ClocksNeedNotAgree) {
  world_.occupy(1);
  NodeProcess& first = world_.add();
  first.wall_clock.set_skew(1h);
  run_for(10min);
  first.die();
  NodeProcess& second = world_.add();
  run_for(30min);
  ASSERT_EQ(second.node(), 0);
  EXPECT_THAT(second.ids->next().error().text(), HasSubstr("they begin in"));
  run_for(40min);
  EXPECT_TRUE(second.ids->next());
}

TEST_F(NodeLeaseTest, AClockThatJumpsAheadIsReservedForSoon) {
  NodeProcess& process = world_.add();
  run_for(1s);
  process.wall_clock.set_skew(1h);
  EXPECT_THAT(process.ids->next().error().text(), HasSubstr("try again in a moment"));
  run_for(1s);
  EXPECT_TRUE(process.ids->next());
}

TEST_F(NodeLeaseTest, ItSaysWhyThereIsNone) {
  NodeProcess& process = world_.add();
  process.cut_off();
  EXPECT_THAT(process.trouble(), HasSubstr("none has been claimed yet"));
  run_for(10s);
  EXPECT_THAT(process.trouble(), HasSubstr("node numbers cannot be listed: the store is away"));
  std::optional<Result<int>> waited;
  start_waiting(process, 5s, waited);
  run_for(6s);
  ASSERT_TRUE(waited);
  EXPECT_EQ(waited->error().code(), Errc::timed_out);
  start_waiting(process, 1min, waited);
  process.reconnect();
  run_for(10s);
  ASSERT_TRUE(waited);
  EXPECT_EQ(waited->value(), process.node());
}

// Five processes for four numbers on a bad network, with clocks that jump by up to ten minutes,
// and some that die and come back. NodeWorld looks at every id.
TEST_F(NodeLeaseTest, NoIdIsMadeTwiceWhateverHappens) {
  world_.occupy(4);
  SeededRandom chance(11);
  for (int i = 0; i < 5; ++i) world_.add();
  for (int round = 0; round < 300; ++round) {
    const std::size_t which = chance.below(world_.processes.size());
    std::unique_ptr<NodeProcess>& process = world_.processes[which];
    switch (chance.below(5)) {
      case 0:
        process = std::make_unique<NodeProcess>(world_.scheduler, world_.model, chance.next());
        break;
      case 1: process->cut_off(); break;
      case 2: process->wall_clock.set_skew(chance.between(-10min, 10min)); break;
      default: {
        process->store.longest = 500ms;
        process->store.fate = [&chance](const std::string&, int) {
          const std::uint64_t drawn = chance.below(12);
          return drawn == 0   ? Fate::lost_reply
                 : drawn == 1 ? Fate::lost_request
                 : drawn == 2 ? Fate::late
                              : Fate::answered;
        };
      }
    }
    run_for(chance.between(1s, 2min));
  }
  EXPECT_GT(world_.made, 1'000);
}

}  // namespace
}  // namespace forebay::test
