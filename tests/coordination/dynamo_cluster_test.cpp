// Processes that share a limit and a rate through a simulated DynamoDB, made of nothing but their
// options: credentials, region, client, stores and tokens are found and put together.
#include "forebay/coordination/dynamo_cluster.hpp"

#include <memory>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/base/log.hpp"
#include "forebay/sim/dynamodb/sim_http.hpp"
#include "support/dropping_http.hpp"
#include "support/fake_connector.hpp"
#include "support/fake_machine.hpp"
#include "support/rate_world.hpp"

namespace forebay::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr WallTime kStart{std::chrono::hours(24 * 365 * 50)};
constexpr const char* kEndpoint = "abc.dsql.eu-west-1.on.aws";

class DynamoClusterTest : public testing::Test {
 protected:
  struct Node {
    Node(sim::SimScheduler& scheduler, sim::dynamodb::Network& network, FakeServer& server,
         std::uint64_t seed)
        : random(seed),
          wall_clock(scheduler, kStart),
          way(network, scheduler),
          connector(server),
          env{scheduler, random, wall_clock} {
      machine.variables["AWS_ACCESS_KEY_ID"] = "AKIDEXAMPLE";
      machine.variables["AWS_SECRET_ACCESS_KEY"] = "hush";
    }
    SeededRandom random;
    sim::SimWallClock wall_clock;
    sim::dynamodb::SimHttp way;
    DroppingHttp http{way};
    FakeMachine machine;
    FakeConnector connector;
    Env env;
    std::unique_ptr<DynamoCluster> cluster;
    std::optional<Pool> pool;
  };

  DynamoClusterTest() {
    options_.endpoint = kEndpoint;
    options_.user = "admin";
    options_.lease_table = "connections";
    options_.rate_table = "connections";
    options_.connects_per_second = 10;
    options_.burst = 1;
    options_.limit = 6;
    options_.stagger = 1s;
    create_table();
  }
  ~DynamoClusterTest() override {
    for (const auto& node : nodes_) close(*node);
  }

  void create_table() {
    const Result<void> made = run(client_.create_table("connections", scheduler_.now() + 1min));
    ASSERT_TRUE(made) << made.error().text();
    scheduler_.run_for(1min);
  }

  template <class T>
  static Task<void> keep(Task<T> task, std::optional<T>& result) {
    T value = co_await std::move(task);
    result.emplace(std::move(value));
  }
  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    start_detached(scheduler_, keep(std::move(task), result));
    while (!result && scheduler_.step()) {
    }
    return std::move(*result);
  }
  static Task<void> drop(Task<bool> task) { co_await std::move(task); }

  Node& add() {
    nodes_.push_back(std::make_unique<Node>(scheduler_, network_, server_, nodes_.size() + 1));
    return *nodes_.back();
  }
  Result<std::unique_ptr<DynamoCluster>> try_join(Node& node) {
    const aws::AwsEnv env{node.env, node.http, node.machine};
    return run(DynamoCluster::open(env, options_, scheduler_.now() + 10s));
  }
  Node& join(int wanted) {
    Node& node = add();
    Result<std::unique_ptr<DynamoCluster>> cluster = try_join(node);
    FOREBAY_CHECK(cluster.has_value(), cluster.error().text());
    node.cluster = std::move(*cluster);
    PoolOptions options;
    options.size.max = wanted;
    options.supply = Supply::reservoir;
    node.pool.emplace(node.env, node.connector, options, node.cluster->sharing());
    start_detached(scheduler_, drop(node.pool->start()));
    return node;
  }
  bool close(Node& node) {
    if (!node.cluster) return true;
    run(node.pool->close(scheduler_.now() + 10min));
    node.pool.reset();
    const bool is_released = run(node.cluster->close(scheduler_.now() + 1min));
    node.cluster.reset();
    return is_released;
  }

  const log::Mute quiet_;
  sim::SimScheduler scheduler_;
  sim::dynamodb::Tables tables_;
  sim::dynamodb::Service service_{tables_, aws::Credentials("AKIDEXAMPLE", "hush"), "eu-west-1"};
  sim::dynamodb::Network network_{service_, kStart, 1, {20ms, 60ms, 0.02, 0.02}};
  FakeServer server_{scheduler_};
  // Of somebody who only looks.
  Node onlooker_{scheduler_, network_, server_, 99};
  aws::StaticCredentials credentials_{aws::Credentials("AKIDEXAMPLE", "hush")};
  aws::DynamoDb client_{onlooker_.env, onlooker_.way, credentials_, {"eu-west-1", ""}};
  ClusterOptions options_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST_F(DynamoClusterTest, OptionsAreAllItTakes) {
  Node& node = join(4);
  scheduler_.run_for(10s);

  EXPECT_EQ(node.pool->gauges().ready, 4) << node.pool->statistics().last_connect_error;
  EXPECT_EQ(node.cluster->region(), "eu-west-1");
  EXPECT_EQ(node.cluster->statistics().held, 4);
  EXPECT_THAT(node.cluster->statistics().lease_id, StartsWith("forebay-"));
  EXPECT_GT(node.cluster->statistics().dynamodb.write_units, 0);
  ASSERT_EQ(server_.passwords.size(), 4u);
  EXPECT_THAT(server_.passwords.front(),
              StartsWith(std::string(kEndpoint) + "/?Action=DbConnectAdmin"));

  EXPECT_TRUE(close(node));
  EXPECT_EQ(server_.sessions, 0);
}

TEST_F(DynamoClusterTest, TwoProcessesShareOneLimitAndOneRate) {
  options_.rate_mode = RateMode::bucket;
  scheduler_.set_after_step([this] { ASSERT_LE(server_.sessions, 6); });
  server_.connect_starts.clear();
  Node& first = join(5);
  Node& second = join(5);

  scheduler_.run_for(60s);

  EXPECT_EQ(server_.sessions, 6);
  EXPECT_EQ(first.cluster->statistics().held + second.cluster->statistics().held, 6);
  check_windows(server_.connect_starts, 10, 1);
  EXPECT_TRUE(close(first));
  EXPECT_TRUE(close(second));
  scheduler_.set_after_step({});
}

TEST_F(DynamoClusterTest, AProcessThatDiesIsReplacedSoonAfterItsSessionsCanBeGone) {
  options_.ttl = 30s;
  options_.session_linger = 10s;
  Node& first = join(6);
  scheduler_.run_for(20s);
  ASSERT_EQ(server_.sessions, 6);
  Node& second = join(6);
  // Its machine has closed its sockets; nobody gives anything back.
  first.way.die();
  close(first);

  scheduler_.run_for(80s);

  EXPECT_EQ(second.pool->gauges().ready, 6) << second.pool->statistics().last_connect_error;
  EXPECT_EQ(second.cluster->statistics().reaped, 6u);
}

TEST_F(DynamoClusterTest, EachProcessMakesIdsWithANodeNumberOfItsOwn) {
  options_.id_table = "connections";
  options_.ids.epoch = kStart;
  Node& first = join(1);
  Node& second = join(1);
  const Result<int> one = run(first.cluster->wait_for_node(scheduler_.now() + 1min));
  const Result<int> two = run(second.cluster->wait_for_node(scheduler_.now() + 1min));
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(two) << two.error().text();
  EXPECT_NE(*one, *two);

  const std::int64_t id = first.cluster->ids().next().value();
  EXPECT_EQ(first.cluster->ids().decode(id).node, *one);
  scheduler_.run_for(1h);
  EXPECT_TRUE(first.cluster->ids().next());
  EXPECT_TRUE(close(first));
}

TEST_F(DynamoClusterTest, TheNumberIsGivenBackWhateverBecomesOfTheLeases) {
  options_.id_table = "connections";
  options_.ids.epoch = kStart;
  Node& node = join(1);
  ASSERT_TRUE(run(node.cluster->wait_for_node(scheduler_.now() + 1min)));
  scheduler_.run_for(10s);
  ASSERT_EQ(node.cluster->statistics().held, 1);

  node.http.only = "dsqllease";
  node.http.is_dropping = true;
  EXPECT_FALSE(close(node));

  DynamoNodeStore store(client_, "connections", kEndpoint);
  const auto records = run(store.list(scheduler_.now() + 1min));
  ASSERT_TRUE(records) << records.error().text();
  ASSERT_EQ(records->size(), 1u);
  EXPECT_EQ(records->front().holder, "");
}

TEST_F(DynamoClusterTest, WithoutTheTableConnectsFailAndSayWhy) {
  options_.lease_table = "missing";
  Node& node = join(2);

  scheduler_.run_for(30s);

  EXPECT_EQ(server_.steps["connect"], 0);
  EXPECT_EQ(node.pool->statistics().last_open_failure, OpenFailure::lease_acquire);
  EXPECT_THAT(node.pool->statistics().last_connect_error, HasSubstr("missing"));
}

TEST_F(DynamoClusterTest, WrongOptionsAreRefusedTogether) {
  options_.limit = 0;
  options_.burst = 0;

  const auto refused = try_join(add());

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid);
  EXPECT_THAT(refused.error().text(), HasSubstr("limit is 0"));
  EXPECT_THAT(refused.error().text(), HasSubstr("burst is 0"));
}

}  // namespace
}  // namespace forebay::test
