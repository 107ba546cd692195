// The troubles of the runbook, provoked on a real PostgreSQL and the stand-in's DynamoDB: each is
// told by the metrics, the log and the doctor.
#include "forebay/metrics.hpp"
#include "integration/pool_fixture.hpp"
#include "support/loopback.hpp"
#include "support/standin_dynamodb.hpp"
#include "troubles/three_tellers.hpp"

namespace forebay::test {
namespace {

using doctor::Severity;

constexpr char kFailures[] = "dsql_reservoir_refill_failures_total";

class TroublesTest : public PoolFixture {
 protected:
  TroublesTest() { launch({}); }
  ~TroublesTest() override {
    world_.server.start();  // leases are given back there
    watches_.clear();
    pool_.reset();
    cluster_.reset();
    admin_pool.reset();
  }

  static PoolOptions reservoir(int max) {
    PoolOptions options;
    options.name = "main";
    options.size.max = max;
    options.supply = Supply::reservoir;
    options.initial_fill_limit = 500ms;
    options.admission_timeout = 2s;
    options.check_after_idle = 500ms;
    return options;
  }
  ClusterOptions shared() const {
    ClusterOptions options;
    options.endpoint = "orders.dsql.eu-west-1.on.aws";
    options.service = "orders";
    options.region = "eu-west-1";
    options.dynamodb_url = world_.server.url();
    options.credentials.emplace("local", "secret");
    options.stagger = Duration::zero();
    options.request_timeout = 1s;
    return options;
  }
  void join_cluster(const ClusterOptions& options) {
    auto opened = Cluster::open(runtime, options);
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    cluster_ = std::move(*opened);
    watches_.push_back(watch(tellers_.metrics(), *cluster_));
  }
  // Comes back whether it is filled or not.
  void start(const PoolOptions& options, std::string target = {}) {
    if (target.empty()) target = server->url("app", "postgres");
    auto opened = PostgresPool::open(runtime, target, options,
                                     cluster_ ? cluster_->sharing() : PoolSharing());
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    pool_ = std::move(*opened);
    watches_.push_back(watch(tellers_.metrics(), *pool_));
    tellers_.begin();
  }
  template <class Condition>
  void wait_until(const char* what, Condition condition) {
    const Instant end = runtime.scheduler().now() + 60s;
    while (!condition()) {
      ASSERT_LT(runtime.scheduler().now(), end) << what;
      embedded::pause(20ms);
    }
  }
  void wait_for_failures(const char* reason) {
    wait_until(reason, [&] { return tellers_.increase(kFailures, reason) > 0; });
  }

  ThreeTellers tellers_;
  StandinDynamoWorld world_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<PostgresPool> pool_;
  std::vector<Metrics::Watch> watches_;
};

TEST_F(TroublesTest, AllIsWell) {
  ClusterOptions options = shared();
  options.lease_table = options.rate_table = world_.table;
  join_cluster(options);
  PoolOptions pool = reservoir(5);
  pool.initial_fill_limit = 30s;
  start(pool);
  wait_until("filled", [&] { return tellers_.value("dsql_reservoir_size") == 5; });

  EXPECT_EQ(tellers_.value("forebay_pool_filled"), 1);
  EXPECT_EQ(tellers_.value("dsql_distributed_conn_lease_active"), 5);
  EXPECT_TRUE(tellers_.metrics().not_ready().empty());
  tellers_.expect_logged("Reservoir refiller started", "target_ready=5");
  tellers_.expect_logged("Reservoir initial fill complete", "size=5 target=5 elapsed=");
  tellers_.expect_found(Severity::ok, "of 5 connections ready");  // one may be being checked
}

TEST_F(TroublesTest, NotFillingAtStartBecauseTheServerIsAway) {
  std::string target;
  {
    const LoopbackListener free;
    target = fmt::format("host=127.0.0.1 port={} user=app dbname=postgres", free.port());
  }
  start(reservoir(5), target);
  wait_for_failures("connection_open");

  EXPECT_EQ(tellers_.value("forebay_pool_filled"), 0);
  EXPECT_EQ(tellers_.value("dsql_reservoir_size"), 0);
  ASSERT_EQ(tellers_.metrics().not_ready().size(), 1u);
  tellers_.expect_logged("Reservoir initial fill timeout", "current=0 target=5");
  tellers_.expect_logged("Reservoir refiller: connection open failed", "refused");
  tellers_.expect_found(Severity::error, "its initial fill is not done");
  tellers_.expect_found(Severity::error, "connection_open");
}

TEST_F(TroublesTest, DrainingUnderLoad) {
  start(reservoir(2));
  wait_until("filled", [&] { return tellers_.value("dsql_reservoir_size") == 2; });
  tellers_.begin();
  Result<PooledSession> first = pool_->acquire_blocking(30s);
  Result<PooledSession> second = pool_->acquire_blocking(30s);
  EXPECT_FALSE(pool_->acquire_blocking(50ms).has_value());

  EXPECT_EQ(tellers_.value("dsql_reservoir_size"), 0);
  EXPECT_EQ(tellers_.increase("dsql_reservoir_empty_total"), 1);
  EXPECT_EQ(tellers_.increase("forebay_pool_timeouts_total"), 1);
  wait_until("told", [&] { return tellers_.logged("Reservoir empty") > 0; });
  tellers_.expect_found(Severity::warning, "found no connection ready");
  tellers_.expect_found(Severity::error, "gave up waiting");
  tellers_.expect_found(Severity::error, "all connections are lent");
}

TEST_F(TroublesTest, TheServerGoesAway) {
  start(reservoir(3));
  wait_until("filled", [&] { return tellers_.value("dsql_reservoir_size") == 3; });
  tellers_.begin();
  admin_pool.reset();
  server->stop();
  wait_for_failures("connection_open");
  wait_until("discarded", [&] {
    return tellers_.increase("dsql_reservoir_discards_total", "check_failed") +
               tellers_.increase("dsql_reservoir_discards_total", "broken") >=
           3;
  });

  tellers_.expect_logged("Reservoir: discarding connection");
  tellers_.expect_logged("Reservoir refiller: connection open failed");
  tellers_.expect_logged("Reservoir refiller: failed to create connection", "retry_in=");
  wait_until("empty", [&] { return tellers_.value("dsql_reservoir_size") == 0; });
  tellers_.expect_found(Severity::error, "connection_open");
}

TEST_F(TroublesTest, TheClustersLimitIsReached) {
  ClusterOptions options = shared();
  options.lease_table = world_.table;
  options.limit = 2;
  join_cluster(options);
  start(reservoir(5));
  wait_for_failures("lease_acquire");

  EXPECT_EQ(tellers_.value("dsql_distributed_conn_lease_active"), 2);
  EXPECT_EQ(tellers_.value("dsql_distributed_conn_lease_limit"), 2);
  tellers_.expect_logged("Reservoir refiller: lease acquire failed", "2 of 2 connections leased");
  tellers_.expect_found(Severity::error, "2 of 2 connections of the cluster are leased");
  tellers_.expect_found(Severity::warning, "lease_acquire");
}

TEST_F(TroublesTest, TheRateIsTooLow) {
  ClusterOptions options = shared();
  options.rate_table = world_.table;
  options.connects_per_second = 0.01;
  options.rate_mode = RateMode::bucket;  // a window counts whole connects
  options.burst = 1;
  options.max_wait = 200ms;
  join_cluster(options);
  start(reservoir(5));
  wait_for_failures("rate_limit");

  tellers_.expect_logged("Reservoir refiller: failed to create connection", "reason=rate_limit");
  tellers_.expect_found(Severity::error, "DSQL_CONNECTION_RATE_LIMIT");
}

TEST_F(TroublesTest, DynamoDbIsAway) {
  world_.server.stop();
  ClusterOptions options = shared();
  options.lease_table = world_.table;
  join_cluster(options);
  start(reservoir(5));
  wait_for_failures("lease_acquire");
  wait_until("away", [&] { return tellers_.value("forebay_store_failures", "leases") >= 3; });

  tellers_.expect_logged("Reservoir refiller: lease acquire failed");
  tellers_.expect_found(Severity::error, "requests to DynamoDB in a row have failed (leases)");
  tellers_.expect_found(Severity::error, "lease_acquire");
}

TEST_F(TroublesTest, TheTableIsMissing) {
  ClusterOptions options = shared();
  options.lease_table = "nobody-has-made-it";
  join_cluster(options);
  start(reservoir(5));
  wait_for_failures("lease_acquire");

  tellers_.expect_logged("Reservoir refiller: lease acquire failed", "nobody-has-made-it");
  tellers_.expect_found(Severity::error, "lease_acquire");
}

TEST_F(TroublesTest, TokensCannotBeMade) {
  ClusterOptions options = shared();
  options.user = "app";
  options.credentials->expires_at = WallTime(1h);
  join_cluster(options);
  start(reservoir(5));
  wait_for_failures("token_provider");

  EXPECT_GT(tellers_.value("forebay_token_failures_total"), 0);
  tellers_.expect_logged("Reservoir refiller: token provider failed", "ran out");
  tellers_.expect_found(Severity::error, "IAM tokens could not be made");
  tellers_.expect_found(Severity::error, "token_provider");
}

Task<void> stand_still(std::atomic<bool>& is_still, const std::atomic<bool>& is_over) {
  is_still = true;
  while (!is_over) embedded::pause(1ms);
  co_return;
}

// The loop that looks after connections stands still for longer than they live.
TEST_F(TroublesTest, ConnectionsExpireWhereNobodyLooks) {
  PoolOptions options = reservoir(8);
  options.initial_fill_limit = 30s;
  options.lifetime = 2s;
  options.lifetime_jitter = Duration::zero();
  options.guard_window = 100ms;
  start(options);
  std::atomic<bool> is_still = false;
  std::atomic<bool> is_over = false;
  start_detached(runtime.scheduler(), stand_still(is_still, is_over));
  wait_until("standing still", [&] { return is_still.load(); });
  embedded::pause(2100ms);  // as long as they live
  EXPECT_FALSE(pool_->try_acquire().has_value());
  EXPECT_GT(tellers_.increase("dsql_reservoir_discards_total", "expired_on_checkout"), 0);
  is_over = true;
  wait_until("told", [&] { return tellers_.logged("Reservoir: discarding connection") > 0; });
  tellers_.expect_logged("Reservoir: discarding connection", "reason=expired_on_checkout");
}

}  // namespace
}  // namespace forebay::test
