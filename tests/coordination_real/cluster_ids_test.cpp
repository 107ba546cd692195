// Ids through <forebay/cluster.hpp>, as an application with threads makes them, over the stand-in's
// DynamoDB.
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "forebay/cluster.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::test {
namespace {

class ClusterIdsTest : public testing::Test {
 protected:
  ClusterIdsTest() {
    options_.endpoint = "ids.example";
    options_.region = "eu-west-1";
    options_.id_table = world_.table;
    options_.dynamodb_url = world_.server.url();
    options_.credentials = aws::Credentials("local", "secret");
  }

  std::unique_ptr<Cluster> open() {
    Result<std::unique_ptr<Cluster>> cluster = Cluster::open(world_.runtime, options_);
    FOREBAY_CHECK(cluster.has_value(), cluster.error().text());
    return std::move(*cluster);
  }

  StandinDynamoWorld world_;
  ClusterOptions options_;
};

TEST_F(ClusterIdsTest, EachClusterHasANumberAndThreadsMakeIdsWithIt) {
  constexpr std::size_t kThreads = 4;
  constexpr int kEach = 500;
  const std::unique_ptr<Cluster> first = open();
  const std::unique_ptr<Cluster> second = open();
  const Result<int> one = first->wait_for_node(StandinDynamoWorld::kPatience);
  const Result<int> two = second->wait_for_node(StandinDynamoWorld::kPatience);
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(two) << two.error().text();
  EXPECT_NE(*one, *two);

  std::vector<std::vector<Result<std::int64_t>>> made(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        SnowflakeGenerator& ids = (i % 2 == 0 ? first : second)->ids();
        for (int n = 0; n < kEach; ++n) made[i].push_back(ids.next());
      });
    }
  }
  std::set<std::int64_t> all;
  for (std::size_t i = 0; i < kThreads; ++i) {
    for (const Result<std::int64_t>& id : made[i]) {
      ASSERT_TRUE(id) << id.error().text();
      EXPECT_EQ(first->ids().decode(*id).node, i % 2 == 0 ? *one : *two);
      all.insert(*id);
    }
  }
  EXPECT_EQ(all.size(), kThreads * kEach);
}

TEST_F(ClusterIdsTest, ClosingGivesTheNumberBackAndMakesNoMoreIds) {
  const std::unique_ptr<Cluster> cluster = open();
  const Result<int> node = cluster->wait_for_node(StandinDynamoWorld::kPatience);
  ASSERT_TRUE(node) << node.error().text();

  EXPECT_TRUE(cluster->close(StandinDynamoWorld::kPatience));

  const Result<std::int64_t> id = cluster->ids().next();
  ASSERT_FALSE(id);
  EXPECT_EQ(id.error().code(), Errc::closed);
  const std::string key = "forebay_node#ids.example#" + std::to_string(*node);
  const auto item = world_.run(world_.client.get(world_.table, key, world_.soon()));
  ASSERT_TRUE(item && *item);
  EXPECT_EQ(aws::text_at(**item, "holder"), "-");
}

TEST_F(ClusterIdsTest, WithoutItsTableItSaysWhyThereAreNone) {
  options_.id_table = "missing";
  const std::unique_ptr<Cluster> cluster = open();
  // As long as it takes until the first request has failed.
  Result<int> node = cluster->wait_for_node(Duration(0));
  const Instant end = world_.soon();
  while (!node && node.error().text().find("missing") == std::string::npos &&
         world_.runtime.scheduler().now() < end) {
    node = cluster->wait_for_node(std::chrono::milliseconds(20));
  }
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().code(), Errc::timed_out);
  EXPECT_NE(node.error().text().find("missing"), std::string::npos) << node.error().text();
}

}  // namespace
}  // namespace forebay::test
