// What the cluster's leases and node numbers say in the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/lease_world.hpp"
#include "support/node_world.hpp"

namespace forebay::test {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

class LeaseLogTest : public testing::Test {
 protected:
  // A process with so many connections, whose store is cut off from now on.
  LeaseProcess& cut_off(LeaseOptions options, int connections) {
    LeaseProcess& process = world_.add(std::move(options));
    for (int i = 0; i < connections; ++i) process.acquire();
    world_.scheduler.run_for(1s);
    process.store.fate = [](const std::string&, int) { return Fate::away; };
    return process;
  }

  LeaseWorld world_;
};

TEST_F(LeaseLogTest, ALostLeaseIsToldByItsLoserAndByItsReaper) {
  LeaseProcess& process = cut_off(LeaseOptions(), 3);
  world_.add(LeaseOptions());
  world_.is_strict = world_.is_covering = false;
  world_.scheduler.run_for(10min);
  EXPECT_THAT(
      world_.log.lines("Lease not renewed"),
      ElementsAre(StartsWith("warning Lease not renewed service=process0 lease=process0-")));
  EXPECT_THAT(world_.log.values("Lease of a dead process reaped", "connections"), ElementsAre("3"));

  process.store.fate = nullptr;
  world_.scheduler.run_for(5min);
  EXPECT_THAT(world_.log.values("Lease lost", "service"), ElementsAre("process0"));
  EXPECT_THAT(world_.log.values("Lease lost", "connections"), ElementsAre("3"));
}

TEST_F(LeaseLogTest, AFenceIsToldWithWhatIsBehindIt) {
  LeaseOptions options;
  options.on_loss = LeaseLoss::fence;
  cut_off(options, 2);
  world_.scheduler.run_for(10min);

  EXPECT_THAT(world_.log.values("Lease fenced", "connections"), ElementsAre("2"));
  EXPECT_EQ(world_.log.values("Lease fenced", "ends_in").size(), 1u);
}

TEST(NodeLogTest, ANumberIsToldWhenItIsClaimedAndWhenTheStoreDoesNotAnswer) {
  NodeWorld world;
  NodeProcess& process = world.add();
  world.scheduler.run_for(1s);
  EXPECT_THAT(world.log.values("Node number claimed", "node"),
              ElementsAre(std::to_string(process.node())));
  process.store.fate = [](const std::string&, int) { return Fate::away; };
  world.scheduler.run_for(5min);

  EXPECT_THAT(world.log.values("Node number request failed", "reason"),
              testing::Contains("the node number could not be renewed"));
}

}  // namespace
}  // namespace forebay::test
