// DynamoWorld over the simulated DynamoDB, in virtual time.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "forebay/detail/env/detached.hpp"
#include "forebay/env/sim/sim_scheduler.hpp"
#include "forebay/env/sim/sim_wall_clock.hpp"
#include "forebay/sim/dynamodb/service.hpp"
#include "forebay/sim/dynamodb/sim_http.hpp"
#include "forebay/sim/dynamodb/tables.hpp"
#include "support/dynamo_world.hpp"

namespace forebay::test {

class SimDynamoWorld final : public DynamoWorld {
 public:
  explicit SimDynamoWorld(RateLimits limits, sim::dynamodb::NetworkFaults faults = {})
      : network_(service_, kStart, 1, faults) {
    for (std::size_t i = 0; i < kProcesses; ++i) {
      sim::dynamodb::SimHttp& way = ways_.emplace_back(network_, scheduler_);
      add_process({Env{scheduler_, random_, wall_clock_},
                   way,
                   credentials_,
                   {"eu-west-1", ""},
                   table(),
                   limits});
    }
    const Result<void> created = create();
    FOREBAY_CHECK(created.has_value(), created.error().text());
  }
  ~SimDynamoWorld() override { remove_processes(); }

  std::string table() const override { return "coordination"; }
  Scheduler& scheduler() override { return scheduler_; }
  void run(Task<void> task) override {
    start_detached(scheduler_, std::move(task));
    scheduler_.run();
  }
  sim::dynamodb::Tables& tables() { return tables_; }
  sim::dynamodb::Network& network() { return network_; }

 private:
  static constexpr WallTime kStart{std::chrono::hours(24 * 365 * 50)};

  Result<void> create() {
    std::optional<Result<void>> result;
    run(create(result));
    return std::move(*result);
  }
  Task<void> create(std::optional<Result<void>>& result) {
    Result<void> done = co_await process().client.create_table(table(), deadline());
    result.emplace(std::move(done));
  }

  sim::SimScheduler scheduler_;
  SeededRandom random_{1};
  sim::SimWallClock wall_clock_{scheduler_, kStart};
  aws::StaticCredentials credentials_{aws::Credentials("AKIDEXAMPLE", "secret")};
  sim::dynamodb::Tables tables_;
  sim::dynamodb::Service service_{tables_, aws::Credentials("AKIDEXAMPLE", "secret"), "eu-west-1"};
  sim::dynamodb::Network network_;
  std::deque<sim::dynamodb::SimHttp> ways_;
};

}  // namespace forebay::test
