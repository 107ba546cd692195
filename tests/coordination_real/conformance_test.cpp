// The conformance suites over DynamoDB Local, Amazon's own implementation, over real HTTP.
#include <gtest/gtest.h>

#include "coordination/dynamo_conformance.hpp"
#include "coordination/node_conformance.hpp"
#include "coordination/store_conformance.hpp"
#include "support/dynamodb_local.hpp"

namespace forebay::test {
namespace {

class LocalDynamoWorld final : public DynamoWorld {
 public:
  explicit LocalDynamoWorld(RateLimits limits) {
    for (std::size_t i = 0; i < kProcesses; ++i) {
      add_process({world_.runtime.env(), world_.runtime.http(), world_.credentials,
                   world_.server.options(), world_.table, limits});
    }
  }
  ~LocalDynamoWorld() override { remove_processes(); }

  std::string table() const override { return world_.table; }
  Scheduler& scheduler() override { return world_.runtime.scheduler(); }
  void run(Task<void> task) override { run_blocking(scheduler(), std::move(task)); }

 private:
  DynamoDbLocalWorld world_;
};

std::unique_ptr<StoreWorld> make_store(RateLimits limits) {
  return std::make_unique<LocalDynamoWorld>(limits);
}
std::unique_ptr<DynamoWorld> make_dynamo(RateLimits limits) {
  return std::make_unique<LocalDynamoWorld>(limits);
}

INSTANTIATE_TEST_SUITE_P(Local, StoreConformance, testing::Values(&make_store));
INSTANTIATE_TEST_SUITE_P(Local, NodeConformance, testing::Values(&make_store));
INSTANTIATE_TEST_SUITE_P(Local, DynamoConformance, testing::Values(&make_dynamo));

}  // namespace
}  // namespace forebay::test
