// TroubledProcess: all troubles that there is an alert for, at once, each in a pool, a cluster or a
// transaction of its own, on a real PostgreSQL and the stand-in's DynamoDB; and a pool that is
// well. Its metrics are served, and a real Prometheus looks at them.
//
// All at once, because alerts take their time: they ripen together.
#pragma once

#include "forebay/cli/serve/serve_proxy.hpp"
#include "forebay/metrics.hpp"
#include "forebay/postgres/postgres_tenants.hpp"
#include "forebay/proxy/proxy_metrics.hpp"
#include "integration/transaction_fixture.hpp"
#include "support/forwarder.hpp"
#include "support/http_server.hpp"
#include "support/scripted_http.hpp"
#include "support/standin_dynamodb.hpp"
#include "troubles/prometheus_server.hpp"

namespace forebay::test {

class TroubledProcess {
 public:
  TroubledProcess() {
    begin();
    start("calm", reservoir(5));
    lend_everything();
    try_a_closed_port();
    close_soon();
    leak();
    reach_the_limit();
    lose_the_store();
    be_throttled();
    have_no_tokens();
    keep_tenants_waiting();
    keep_clients_waiting();
    conflict();
  }
  TroubledProcess(const TroubledProcess&) = delete;
  TroubledProcess& operator=(const TroubledProcess&) = delete;
  ~TroubledProcess() {
    loads_.clear();
    held_.clear();
    adrift_.clear();
    prometheus_.reset();
    served_.reset();
    watches_.clear();
    tenants_.reset();
    pools_.clear();
    proxy_.reset();
    for (const auto& cluster : clusters_) cluster->close(100ms);
  }

  PrometheusServer& prometheus() { return *prometheus_; }
  Runtime& runtime() { return runtime_; }

 private:
  template <class T>
  static T must(Result<T> result) {
    FOREBAY_CHECK(result.has_value(), result.error().text());
    return std::move(*result);
  }
  void wait_until(const char* what, const std::function<bool()>& condition) {
    const Instant end = runtime_.scheduler().now() + 60s;
    while (!condition()) {
      FOREBAY_CHECK(runtime_.scheduler().now() < end, what);
      embedded::pause(20ms);
    }
  }
  static std::uint16_t closed_port() {
    const LoopbackListener free;
    return free.port();
  }

  void begin() {
    PostgresServerOptions options;
    options.max_connections = 120;
    server_ = must(PostgresServer::launch(options));
    PoolOptions admin;
    admin.size.max = 2;
    admin_ = must(PostgresPool::open(runtime_, server_->superuser_url(), admin));
    for (const char* sql :
         {"CREATE ROLE app LOGIN CREATEDB", "CREATE TABLE counter (id int PRIMARY KEY, value int)",
          "INSERT INTO counter VALUES (1, 0)", "GRANT ALL ON counter TO app",
          "CREATE DATABASE test_ws_w_1 OWNER app", "CREATE DATABASE test_ws_w_2 OWNER app"})
      ask(sql);
    served_ = must(MetricsServer::open(metrics_, "127.0.0.1", 0));
    const std::vector<std::string> targets{fmt::format("127.0.0.1:{}", served_->port()),
                                           fmt::format("127.0.0.1:{}", closed_port())};
    prometheus_.emplace(runtime_, targets);
  }
  void ask(const std::string& sql) {
    PooledSession session = must(admin_->acquire_blocking(30s));
    must((*session).exec_blocking(sql, 30s));
  }

  static PoolOptions reservoir(int max) {
    PoolOptions options;
    options.size.max = max;
    options.supply = Supply::reservoir;
    options.initial_fill_limit = 100ms;
    options.admission_timeout = 1s;
    options.backoff = BackoffRule{50ms, 200ms, 25};
    return options;
  }
  PostgresPool& start(const std::string& name, PoolOptions options, PoolSharing sharing = {},
                      std::string target = {}) {
    options.name = name;
    if (target.empty()) target = server_->url("app", "postgres");
    pools_.push_back(must(PostgresPool::open(runtime_, target, options, std::move(sharing))));
    watches_.push_back(watch(metrics_, *pools_.back()));
    return *pools_.back();
  }
  template <class Work>
  void keep_doing(int threads, Work work) {
    loads_.push_back(std::make_unique<Load>(threads, std::move(work)));
  }

  // Fifteen callers a second and more find all connections lent; they wait long, and some give up.
  void lend_everything() {
    PostgresPool& pool = start("busy", reservoir(2));
    keep_doing(6, [&pool](int thread) {
      const Result<PooledSession> session = pool.acquire_blocking(thread == 0 ? 20ms : 10s);
      if (session) embedded::pause(50ms);
    });
  }
  void try_a_closed_port() {
    start("away", reservoir(5), {},
          fmt::format("host=127.0.0.1 port={} user=app dbname=postgres", closed_port()));
  }
  void close_soon() {
    PoolOptions options = reservoir(6);
    options.lifetime = 400ms;
    options.lifetime_jitter = Duration::zero();
    options.guard_window = 50ms;
    start("short-lived", options);
  }
  void leak() {
    PoolOptions options = reservoir(2);
    options.leak_after = 50ms;
    PostgresPool& pool = start("leaky", options);
    keep_doing(1, [&pool](int) {
      const Result<PooledSession> session = pool.acquire_blocking(10s);
      embedded::pause(300ms);
    });
  }

  ClusterOptions shared(const std::string& endpoint, std::string dynamodb_url) const {
    ClusterOptions options;
    options.endpoint = endpoint;
    options.service = "orders";
    options.region = "eu-west-1";
    options.dynamodb_url = std::move(dynamodb_url);
    options.credentials.emplace("local", "secret");
    options.stagger = Duration::zero();
    options.request_timeout = 1s;
    options.lease_table = dynamodb_.table;
    return options;
  }
  Cluster& join(const ClusterOptions& options) {
    clusters_.push_back(must(Cluster::open(runtime_, options)));
    watches_.push_back(watch(metrics_, *clusters_.back()));
    return *clusters_.back();
  }

  void reach_the_limit() {
    ClusterOptions options = shared("full", dynamodb_.server.url());
    options.limit = 2;
    start("crowded", reservoir(5), join(options).sharing());
  }
  // It goes away while this process has a share of the limit, and goes on within that.
  void lose_the_store() {
    relay_.emplace(static_cast<std::uint16_t>(dynamodb_.server.port()));
    ClusterOptions options = shared("lost", fmt::format("http://127.0.0.1:{}", relay_->port()));
    options.on_absence = StoreAbsence::local;
    options.ttl = 3s;
    Cluster& cluster = join(options);
    PoolOptions pool_options = reservoir(20);
    pool_options.size.target_ready = 2;
    PostgresPool& pool = start("adrift", pool_options, cluster.sharing());
    wait_until("a share of the limit is known", [&] {
      const ClusterStatistics now = cluster.statistics();
      return now.held > 0 && now.known_processes > 0;
    });
    relay_.reset();
    keep_doing(1, [this, &pool](int) {
      Result<PooledSession> session = pool.acquire_blocking(200ms);
      if (session && adrift_.size() < 10) adrift_.push_back(std::move(*session));
    });
  }
  void be_throttled() {
    start("throttled", reservoir(2), join(shared("slowed", throttling_.url(""))).sharing());
  }
  void have_no_tokens() {
    ClusterOptions options = shared("unknown", dynamodb_.server.url());
    options.lease_table.clear();
    options.user = "app";
    options.credentials->expires_at = WallTime(1h);
    start("anonymous", reservoir(2), join(options).sharing());
  }

  // One tenant holds all that there is, and another waits.
  void keep_tenants_waiting() {
    TenantOptions options;
    options.max_connections = 20;
    options.prefix = "test";
    const int all = shares_of(options).tenants;
    options.max_per_tenant = all;
    tenants_ =
        must(postgres::PostgresTenants::open(runtime_, server_->url("app", "postgres"), options));
    watches_.push_back(watch(metrics_, *tenants_));
    for (int i = 0; i < all; ++i) held_.push_back(must(tenants_->acquire_blocking("w-1", 30s)));
    keep_doing(2, [this](int thread) {
      std::ignore = tenants_->acquire_blocking("w-2", thread == 0 ? 2s : 3s);
    });
  }

  // Three clients of a proxy share a server.
  void keep_clients_waiting() {
    RouteConfiguration route;
    route.configuration.database.url = server_->url("app", "postgres");
    route.configuration.pool.size.max = 1;
    route.configuration.pool.name = "narrow";
    route.is_named = true;
    ProxyConfiguration configuration;
    configuration.listen = {StreamAddress::tcp("127.0.0.1", 0)};
    configuration.log_in_limit = 60s;
    configuration.routes.push_back(std::move(route));
    proxy_ = must(cli::ServeProxy::open(runtime_, configuration));
    watches_.push_back(metrics_.watch([this](MetricSink& sink) {
      proxy::write_proxy_metrics(sink, "orders", proxy_->look(Instant()).proxy);
    }));
    PoolOptions options;
    options.size.max = 3;
    PostgresPool& pool = start("proxied", options, {}, proxy_->client_url());
    keep_doing(3, [&pool](int) { std::ignore = pool.exec_blocking("SELECT pg_sleep(0.05)"); });
  }

  // Somebody else changes the row between our look and our change, each time.
  void conflict() {
    watches_.push_back(watch(metrics_, transactions_));
    PoolOptions options;
    options.size.max = 2;
    PostgresPool& pool = start("ledger", options);
    TransactionOptions hot("hot_row");
    hot.isolation = Isolation::repeatable_read;
    hot.policy.max_retries = 1;
    hot.policy.backoff = BackoffRule{10ms, 20ms, 25};
    hot.metrics = &transactions_;
    keep_doing(1, [this, &pool, hot](int) {
      std::ignore = run_transaction_blocking(pool, hot, [this](Transaction& ours) -> Result<void> {
        const Result<int> seen =
            ours.query_one_blocking<int>("SELECT value FROM counter WHERE id = 1");
        if (!seen) return failure(seen.error());
        ask("UPDATE counter SET value = value + 1 WHERE id = 1");
        return ours.exec_exactly_blocking(1, "UPDATE counter SET value = $1 WHERE id = 1",
                                          parameters(*seen + 1));
      });
      embedded::pause(50ms);
    });
  }

  StandinDynamoWorld dynamodb_;
  HttpServer throttling_{[](const HttpRequest&) {
    return response(400, R"({"__type":"com.amazonaws.dynamodb.v20120810#)"
                         R"(ProvisionedThroughputExceededException","message":"slow down"})");
  }};
  std::optional<Forwarder> relay_;
  std::unique_ptr<PostgresServer> server_;
  Runtime runtime_;
  std::unique_ptr<PostgresPool> admin_;
  TransactionMetrics transactions_;
  Metrics metrics_{"orders"};
  std::unique_ptr<MetricsServer> served_;
  std::optional<PrometheusServer> prometheus_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::vector<std::unique_ptr<PostgresPool>> pools_;
  std::unique_ptr<postgres::PostgresTenants> tenants_;
  std::unique_ptr<cli::ServeProxy> proxy_;
  std::vector<Metrics::Watch> watches_;
  std::vector<PooledSession> held_;
  std::vector<PooledSession> adrift_;
  std::vector<std::unique_ptr<Load>> loads_;
};

}  // namespace forebay::test
