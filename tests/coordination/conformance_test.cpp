// The conformance suites over the store in memory and over the simulated DynamoDB.
#include <gtest/gtest.h>

#include "coordination/dynamo_conformance.hpp"
#include "coordination/node_conformance.hpp"
#include "coordination/store_conformance.hpp"
#include "forebay/coordination/memory_store.hpp"
#include "forebay/coordination/nodes/memory_nodes.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "support/flaky_store.hpp"
#include "support/sim_dynamo_world.hpp"

namespace forebay::test {
namespace {

// One store for everybody, in virtual time.
template <class Store>
class OneStoreWorld : public StoreWorld {
 public:
  LeaseStore& leases(std::size_t) override { return store_; }
  RateStore& rates(std::size_t) override { return store_; }
  NodeStore& nodes(std::size_t) override { return nodes_; }
  Scheduler& scheduler() override { return scheduler_; }
  void run(Task<void> task) override {
    start_detached(scheduler_, std::move(task));
    scheduler_.run();
  }

 protected:
  template <class MakeStore>
  OneStoreWorld(RateLimits limits, MakeStore make)
      : model_(limits), store_(make(scheduler_, model_)) {}

  sim::SimScheduler scheduler_;
  MemoryCoordination model_;
  Store store_;
  MemoryNodes node_model_;
  MemoryNodeStore nodes_{node_model_};
};

class MemoryWorld final : public OneStoreWorld<MemoryStore> {
 public:
  explicit MemoryWorld(RateLimits limits)
      : OneStoreWorld(limits,
                      [](Scheduler&, MemoryCoordination& model) { return MemoryStore(model); }) {}
};

// The same through a slow network, so that the suite does not rely on answers at once.
class SlowWorld final : public OneStoreWorld<FlakyStore> {
 public:
  explicit SlowWorld(RateLimits limits)
      : OneStoreWorld(limits, [](Scheduler& scheduler, MemoryCoordination& model) {
          return FlakyStore(scheduler, model, 1);
        }) {
    store_.longest = 50ms;
  }
};

template <class World>
std::unique_ptr<StoreWorld> make(RateLimits limits) {
  return std::make_unique<World>(limits);
}
std::unique_ptr<DynamoWorld> make_dynamo(RateLimits limits) {
  return std::make_unique<SimDynamoWorld>(limits);
}
std::unique_ptr<DynamoWorld> make_slow_dynamo(RateLimits limits) {
  sim::dynamodb::NetworkFaults faults;
  faults.fastest = 2ms;
  faults.slowest = 30ms;
  faults.throttled = 0.05;
  return std::make_unique<SimDynamoWorld>(limits, faults);
}
std::unique_ptr<StoreWorld> make_slow(RateLimits limits) { return make_slow_dynamo(limits); }

INSTANTIATE_TEST_SUITE_P(Memory, StoreConformance, testing::Values(&make<MemoryWorld>));
INSTANTIATE_TEST_SUITE_P(SlowMemory, StoreConformance, testing::Values(&make<SlowWorld>));
INSTANTIATE_TEST_SUITE_P(Simulated, StoreConformance, testing::Values(&make<SimDynamoWorld>));
INSTANTIATE_TEST_SUITE_P(SlowSimulated, StoreConformance, testing::Values(&make_slow));
INSTANTIATE_TEST_SUITE_P(Memory, NodeConformance, testing::Values(&make<MemoryWorld>));
INSTANTIATE_TEST_SUITE_P(Simulated, NodeConformance, testing::Values(&make<SimDynamoWorld>));
INSTANTIATE_TEST_SUITE_P(SlowSimulated, NodeConformance, testing::Values(&make_slow));
INSTANTIATE_TEST_SUITE_P(Simulated, DynamoConformance, testing::Values(&make_dynamo));
INSTANTIATE_TEST_SUITE_P(SlowSimulated, DynamoConformance, testing::Values(&make_slow_dynamo));

}  // namespace
}  // namespace forebay::test
