// High discards, reason by reason, in virtual time: what the metrics count, the log says and the
// doctor advises.
#include <gtest/gtest.h>

#include "forebay/metrics/metric_sources.hpp"
#include "support/sim_pool.hpp"
#include "troubles/three_tellers.hpp"

namespace forebay::test {
namespace {

constexpr int kMany = 10;  // at once: more than the five a second that are too many

class DiscardsTest : public testing::Test {
 protected:
  void start(const PoolOptions& options) {
    sim_.emplace(options);
    watch_ = tellers_.metrics().watch([this](MetricSink& sink) {
      write_pool_metrics(sink, "orders", "main", sim_->statistics());
    });
    ASSERT_TRUE(sim_->start());
    sim_->scheduler.run_for(1ms);
    tellers_.begin();
  }
  ~DiscardsTest() override { sim_.reset(); }

  static PoolOptions reservoir() {
    PoolOptions options;
    options.name = "main";
    options.size.max = kMany;
    options.supply = Supply::reservoir;
    options.lifetime = 100s;
    options.lifetime_jitter = 0s;
    options.guard_window = 20s;
    return options;
  }
  void lend_all(Duration hold) {
    for (int i = 0; i < kMany; ++i) sim_->call(10s, hold);
  }
  void expect_told(const std::string& reason, const std::string& advice) {
    EXPECT_GE(tellers_.increase("dsql_reservoir_discards_total", reason), kMany - 1) << reason;
    tellers_.expect_logged("Reservoir: discarding connection", "reason=" + reason);
    tellers_.expect_found(doctor::Severity::warning, reason);
    tellers_.expect_found(doctor::Severity::warning, advice);
  }

  ThreeTellers tellers_;
  Metrics::Watch watch_;
  std::optional<SimPool> sim_;
};

// Lent for so long that they come back inside the guard window.
TEST_F(DiscardsTest, InsufficientRemainingLifetime) {
  start(reservoir());
  lend_all(90s);
  sim_->scheduler.run_for(91s);
  expect_told("insufficient_remaining_lifetime", "DSQL_RESERVOIR_GUARD_WINDOW");
}

TEST_F(DiscardsTest, ExpiredOnReturn) {
  start(reservoir());
  lend_all(150s);
  sim_->scheduler.run_for(151s);
  expect_told("expired_on_return", "DSQL_RESERVOIR_BASE_LIFETIME");
}

TEST_F(DiscardsTest, ReservoirFull) {
  PoolOptions options = reservoir();
  options.size.target_ready = 1;
  options.size.max_ready = 1;
  start(options);
  lend_all(1s);
  sim_->scheduler.run_for(2s);
  EXPECT_GE(tellers_.increase("dsql_reservoir_discards_total", "reservoir_full"), 6);
  tellers_.expect_logged("Reservoir: discarding connection", "reason=reservoir_full");
  tellers_.expect_found(doctor::Severity::warning, "DSQL_RESERVOIR_TARGET_READY");
}

TEST_F(DiscardsTest, Broken) {
  start(reservoir());
  sim_->server.fails = [](const std::string& step, int) { return step == "check"; };
  sim_->scheduler.run_for(60s);  // idle for long enough to be asked whether they live
  EXPECT_GE(tellers_.increase("dsql_reservoir_discards_total", "check_failed"), kMany - 1);
  tellers_.expect_logged("Reservoir: discarding connection", "reason=check_failed");
  tellers_.expect_found(doctor::Severity::warning, "check_failed");
}

// A healthy pool whose connections live out their lives and are replaced is no trouble.
TEST_F(DiscardsTest, LivesThatEndAsPlannedAreNoTrouble) {
  start(reservoir());
  sim_->scheduler.run_for(10min);
  EXPECT_GE(tellers_.increase("dsql_reservoir_discards_total"), 5 * kMany);
  EXPECT_EQ(tellers_.increase("dsql_reservoir_discards_total"),
            tellers_.increase("dsql_reservoir_discards_total", "replaced") +
                tellers_.increase("dsql_reservoir_discards_total", "expiring_soon_on_scan"));
  tellers_.expect_found(doctor::Severity::ok, "connections ready", 10min);
  EXPECT_EQ(tellers_.worst_found(1s), doctor::Severity::ok);
}

}  // namespace
}  // namespace forebay::test
