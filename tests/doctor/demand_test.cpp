#include "forebay/doctor/demand.hpp"

#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <rapidcheck.h>

#include "doctor/findings.hpp"
#include "support/places.hpp"

namespace forebay::test {
namespace {

using namespace std::chrono_literals;
using doctor::check_demand;
using doctor::Demand;
using doctor::demand_of;
using doctor::demand_row;
using doctor::demand_table;
using doctor::DemandRow;
using testing::Contains;
using testing::SizeIs;

// A cluster of Aurora DSQL whose processes share everything.
Demand shared_demand(int processes, int connections) {
  Demand demand;
  demand.processes = processes;
  demand.connections = demand.target = connections;
  demand.limit = 10'000;
  demand.limit_from = "the limit";
  demand.rate = 100;
  demand.burst = 1000;
  demand.is_rate_shared = true;
  demand.life = 10min;
  demand.fill_limit = 30s;
  return demand;
}

// The rows of the page on sizes, as it writes them.
std::vector<std::string> capacity_rows() {
  std::ifstream page(test::source_file("docs/sizing.md"));
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);)
    if (std::regex_match(line, std::regex(R"(\| [a-z ]+( \| \d+){4} \| .*)"))) rows.push_back(line);
  return rows;
}

std::string with_comma(std::int64_t number) {
  return number < 1000 ? std::to_string(number)
                       : fmt::format("{},{:03}", number / 1000, number % 1000);
}

TEST(DemandTest, TheCapacityTableOfThePageOnSizes) {
  // Services × instances × pools, and connections of each.
  const std::vector<std::tuple<std::string, int, int>> deployments{
      {"small", 2, 25}, {"medium", 5, 50}, {"large", 10, 50}, {"very large", 20, 50}};
  std::vector<std::string> expected;
  for (const auto& [name, instances, connections] : deployments) {
    Demand demand = shared_demand(4 * instances * 2, connections);
    demand.burst = 0;  // each second has its own places
    demand.life = 11min - 45s;
    const DemandRow row = demand_row(demand, demand.processes);
    expected.push_back(fmt::format("| {} | 4 | {} | 2 | {} | {} | {:.0f} % | {:.1f} | {:.0f} s |",
                                   name, instances, connections, with_comma(row.connections),
                                   (1 - *row.of_limit) * 100, row.churn,
                                   std::chrono::duration<double>(*row.fill).count()));
  }
  EXPECT_EQ(capacity_rows(), expected);
}

TEST(DemandTest, ABurstIsFilledAtOnceAndTheRestAtTheRate) {
  EXPECT_EQ(demand_row(shared_demand(1, 50), 20).fill, 0s);
  // "From empty to 10,000 connections: 1,000 at once + 9,000/100 = 90 s."
  EXPECT_EQ(demand_row(shared_demand(1, 50), 200).fill, 90s);
}

TEST(DemandTest, WithoutASharedRateEachFillsAloneButTheServerCountsAll) {
  Demand alone = shared_demand(1, 50);
  alone.is_rate_shared = false;
  alone.rate = 10;
  alone.burst = 10;
  EXPECT_EQ(demand_row(alone, 1).fill, 4s);
  EXPECT_EQ(demand_row(alone, 200).fill, 4s);
  alone.server_rate = 100;
  alone.server_burst = 1000;
  EXPECT_EQ(demand_row(alone, 200).fill, 90s);
}

TEST(DemandTest, AboveTheLimitIsAnErrorAndAboveFourFifthsAWarning) {
  EXPECT_THAT(check_demand(shared_demand(160, 50)), Contains(tells(Severity::ok, "8000 of 10000")));
  EXPECT_THAT(check_demand(shared_demand(161, 50)),
              Contains(tells(Severity::warning, "8050 of 10000", "rolling deployments")));
  EXPECT_THAT(check_demand(shared_demand(201, 50)),
              Contains(tells(Severity::error, "10050 of 10000", "FOREBAY_POOL_MAX")));
}

// Not "at once", however fast connects are.
TEST(DemandTest, WhatDoesNotFitIsNeverFilled) {
  Demand demand = shared_demand(1, 100);
  demand.limit = 97;
  demand.rate = 0;
  EXPECT_EQ(demand_row(demand, 1).fill, std::nullopt);
  EXPECT_THAT(check_demand(demand),
              Contains(tells(Severity::warning, "its 100 connections never", "target_ready")));
  demand.target = 50;
  EXPECT_EQ(demand_row(demand, 1).fill, 0s);
  EXPECT_EQ(demand_row(demand, 2).fill, std::nullopt);
  demand.processes = 4;
  EXPECT_THAT(
      check_demand(demand),
      Contains(tells(Severity::warning,
                     "50 connections at once, all 4 have theirs never: there are only 97")));
}

TEST(DemandTest, ConnectionsThatEndFasterThanTheyAreReplaced) {
  Demand demand = shared_demand(100, 50);
  demand.life = 30s;  // 5,000 in 30 s are 167 a second
  EXPECT_THAT(check_demand(demand), Contains(tells(Severity::error, "166.67 connects a second",
                                                   "DSQL_RESERVOIR_BASE_LIFETIME")));
  demand.life = 80s;
  EXPECT_THAT(check_demand(demand), Contains(tells(Severity::warning, "62.50 connects a second")));
  demand.life = 10min;
  EXPECT_THAT(check_demand(demand), Contains(tells(Severity::ok, "8.33 connects a second, 8 %")));
}

TEST(DemandTest, ATargetThatTakesLongerThanAMinuteToFillIsAWarning) {
  Demand slow = shared_demand(1, 200);
  slow.rate = 1;
  slow.burst = 10;
  EXPECT_THAT(check_demand(slow), Contains(tells(Severity::warning, "200 connections after",
                                                 "DSQL_CONNECTION_RATE_LIMIT")));
  EXPECT_THAT(check_demand(shared_demand(180, 50)),
              Contains(tells(Severity::note, "all 180 have theirs after",
                             "restart one process at a time")));
}

TEST(DemandTest, ProcessesThatTogetherConnectFasterThanTheClusterAllows) {
  Demand fast = shared_demand(20, 50);
  fast.is_rate_shared = false;
  fast.rate = 10;
  fast.server_rate = 100;
  EXPECT_THAT(check_demand(fast), Contains(tells(Severity::warning, "200 together", "53400")));
}

TEST(DemandTest, TheTableGrowsWithTheProcessesAndStopsAtPrudence) {
  const std::vector<DemandRow> rows = demand_table(shared_demand(40, 50));
  ASSERT_THAT(rows, SizeIs(4));
  EXPECT_EQ(rows[0].processes, 1);
  EXPECT_EQ(rows[1].processes, 40);
  EXPECT_EQ(rows[2].processes, 80);
  EXPECT_EQ(rows[3].processes, 160);
  EXPECT_NEAR(*rows[3].of_limit, 0.8, 1e-9);
}

TEST(DemandTest, MoreProcessesNeverNeedLess) {
  EXPECT_TRUE(rc::check("monotonic", [] {
    Demand demand = shared_demand(1, *rc::gen::inRange(1, 1000));
    demand.rate = *rc::gen::inRange(1, 1000);
    demand.burst = *rc::gen::inRange(1, 1000);
    demand.is_rate_shared = *rc::gen::arbitrary<bool>();
    const int processes = *rc::gen::inRange(1, 1000);
    const DemandRow fewer = demand_row(demand, processes);
    const DemandRow more = demand_row(demand, processes + 1);
    RC_ASSERT(more.connections > fewer.connections);
    RC_ASSERT(more.churn > fewer.churn);
    RC_ASSERT(!more.fill || (fewer.fill && *more.fill >= *fewer.fill));
  }));
}

TEST(DemandTest, ReadsTheConfigurationAsItHoldsForTheServer) {
  Configuration configuration;
  configuration.database.host = "abc.dsql.us-east-1.on.aws";
  configuration.pool.supply = Supply::reservoir;
  configuration.pool.lifetime = 11min;
  configuration.pool.guard_window = 45s;
  configuration.pool.size.max = 50;
  configuration.pool.size.target_ready = 20;
  const Demand demand = demand_of(configuration);
  EXPECT_EQ(demand.connections, 50);
  EXPECT_EQ(demand.target, 20);
  EXPECT_EQ(demand.limit, 10'000);
  EXPECT_EQ(demand.server_rate, 100);
  EXPECT_EQ(demand.life, 11min - 45s);

  configuration.cluster.emplace();
  configuration.cluster->lease_table = configuration.cluster->rate_table = "connections";
  configuration.cluster->limit = 500;
  const Demand shared = demand_of(configuration);
  EXPECT_EQ(shared.limit, 500);
  EXPECT_TRUE(shared.is_rate_shared);
  EXPECT_EQ(shared.burst, 0);  // each second has its own places
  configuration.cluster->rate_mode = RateMode::bucket;
  EXPECT_EQ(demand_of(configuration).burst, 1000);
}

}  // namespace
}  // namespace forebay::test
