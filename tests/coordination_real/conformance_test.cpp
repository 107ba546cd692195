// The conformance suites over real HTTP: on DynamoDB Local, Amazon's own implementation, and on the
// stand-in's.
#include <gtest/gtest.h>

#include "coordination/dynamo_conformance.hpp"
#include "coordination/node_conformance.hpp"
#include "coordination/store_conformance.hpp"
#include "support/dynamodb_local.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::test {
namespace {

template <class ClientWorld>
class ServedDynamoWorld final : public DynamoWorld {
 public:
  explicit ServedDynamoWorld(RateLimits limits) {
    for (std::size_t i = 0; i < kProcesses; ++i) {
      add_process({world_.runtime.env(), world_.runtime.http(), world_.credentials,
                   world_.server.options(), world_.table, limits});
    }
  }
  ~ServedDynamoWorld() override { remove_processes(); }

  std::string table() const override { return world_.table; }
  Scheduler& scheduler() override { return world_.runtime.scheduler(); }
  void run(Task<void> task) override { run_blocking(scheduler(), std::move(task)); }

 private:
  ClientWorld world_;
};

template <class ClientWorld, class World>
std::unique_ptr<World> make_world(RateLimits limits) {
  return std::make_unique<ServedDynamoWorld<ClientWorld>>(limits);
}
constexpr MakeStoreWorld kLocalStore = &make_world<DynamoDbLocalWorld, StoreWorld>;
constexpr MakeDynamoWorld kLocalDynamo = &make_world<DynamoDbLocalWorld, DynamoWorld>;
constexpr MakeStoreWorld kStandinStore = &make_world<StandinDynamoWorld, StoreWorld>;
constexpr MakeDynamoWorld kStandinDynamo = &make_world<StandinDynamoWorld, DynamoWorld>;

INSTANTIATE_TEST_SUITE_P(Local, StoreConformance, testing::Values(kLocalStore));
INSTANTIATE_TEST_SUITE_P(Local, NodeConformance, testing::Values(kLocalStore));
INSTANTIATE_TEST_SUITE_P(Local, DynamoConformance, testing::Values(kLocalDynamo));
INSTANTIATE_TEST_SUITE_P(Standin, StoreConformance, testing::Values(kStandinStore));
INSTANTIATE_TEST_SUITE_P(Standin, NodeConformance, testing::Values(kStandinStore));
INSTANTIATE_TEST_SUITE_P(Standin, DynamoConformance, testing::Values(kStandinDynamo));

}  // namespace
}  // namespace forebay::test
