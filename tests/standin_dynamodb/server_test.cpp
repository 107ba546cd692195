// The stand-in's DynamoDB as a server: who may listen where, how it comes and goes, and what time
// does to its items.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/env/sleep.hpp"
#include "forebay/standin/dynamodb/dynamodb_server.hpp"
#include "support/loopback.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::standin {
namespace {

using namespace std::chrono_literals;
using test::StandinDynamoDb;
using testing::HasSubstr;

aws::Write put(const std::string& table, const std::string& key, std::int64_t end) {
  aws::Write write(aws::Write::Kind::put, table, key);
  write.item.emplace("ttl_epoch", aws::AttributeValue::number(end));
  return write;
}

TEST(DynamoDbServerTest, AnAddressThatIsTakenOrMakesNoSenseIsToldSo) {
  Runtime runtime;
  sim::dynamodb::Tables tables;
  const auto first = DynamoDbServer::open(runtime, tables, {});
  ASSERT_TRUE(first.has_value()) << first.error().text();
  EXPECT_EQ((*first)->url(), "http://127.0.0.1:" + std::to_string((*first)->port()));

  DynamoDbServerOptions options;
  options.port = (*first)->port();
  sim::dynamodb::Tables others;
  const auto second = DynamoDbServer::open(runtime, others, options);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), Errc::refused);
  options.address = "somewhere";
  const auto third = DynamoDbServer::open(runtime, others, options);
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().code(), Errc::invalid);
  EXPECT_THAT(third.error().text(), HasSubstr("somewhere"));
}

TEST(DynamoDbServerTest, ItEndsWhileCallersAreConnectedAndInTheMiddleOfARequest) {
  Runtime runtime;
  sim::dynamodb::Tables tables;
  auto server = DynamoDbServer::open(runtime, tables, {});
  ASSERT_TRUE(server.has_value()) << server.error().text();
  const int silent = test::loopback_socket();
  const int halfway = test::loopback_socket();
  ASSERT_TRUE(test::connect_on_loopback(silent, (*server)->port()));
  ASSERT_TRUE(test::connect_on_loopback(halfway, (*server)->port()));
  ASSERT_TRUE(test::send_all(halfway, "POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf"));

  server->reset();

  char byte = 0;
  EXPECT_LE(::recv(silent, &byte, 1, 0), 0);
  EXPECT_LE(::recv(halfway, &byte, 1, 0), 0);
  ::close(silent);
  ::close(halfway);
}

TEST(DynamoDbServerTest, ItComesBackWithWhatItHad) {
  StandinDynamoDb server;
  test::DynamoClientWorld world(server);
  ASSERT_TRUE(world.run(world.client.write(put(world.table, "a", 7), world.soon())).has_value());
  const int port = server.port();

  server.stop();
  const auto away = world.run(world.client.get(world.table, "a", world.in(200ms)));
  server.start();

  EXPECT_EQ(server.port(), port);
  ASSERT_FALSE(away.has_value());
  EXPECT_EQ(away.error().code(), Errc::connect_failed);
  const auto back = world.run(world.client.get(world.table, "a", world.soon()));
  ASSERT_TRUE(back.has_value()) << back.error().text();
  ASSERT_TRUE(back->has_value());
  EXPECT_EQ(aws::integer_at(**back, "ttl_epoch"), 7);
}

// Nobody asks for it: it goes by itself, and what has time left stays.
TEST(DynamoDbServerTest, ItemsWhoseTimeIsOverGo) {
  DynamoDbServerOptions options;
  options.expiry_interval = 5ms;
  StandinDynamoDb server(options);
  test::DynamoClientWorld world(server);
  const auto now = std::chrono::floor<std::chrono::seconds>(
      world.runtime.env().wall_clock.now().time_since_epoch());
  for (const auto& [key, end] : {std::pair("over", now - 10s), std::pair("young", now + 1h)}) {
    const auto written =
        world.run(world.client.write(put(world.table, key, end.count()), world.soon()));
    ASSERT_TRUE(written.has_value()) << written.error().text();
  }
  ASSERT_TRUE(world.run(world.client.enable_ttl(world.table, "ttl_epoch", world.soon())));

  const Instant end = world.soon();
  for (;;) {
    const auto found = world.run(world.client.get(world.table, "over", world.soon()));
    ASSERT_TRUE(found.has_value()) << found.error().text();
    if (!found->has_value()) break;
    ASSERT_LT(world.runtime.scheduler().now(), end);
  }
  const auto young = world.run(world.client.get(world.table, "young", world.soon()));
  EXPECT_TRUE(young.has_value() && young->has_value());
}

}  // namespace
}  // namespace forebay::standin
