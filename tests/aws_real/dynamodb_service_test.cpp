// The client and Amazon's own DynamoDB for one machine, and the same with the stand-in's.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/dynamodb_local.hpp"
#include "support/standin_dynamodb.hpp"

namespace forebay::aws {
namespace {

using namespace std::chrono_literals;
using test::DynamoClientWorld;
using test::DynamoDbService;
using testing::HasSubstr;

using Make = DynamoDbService& (*)();
DynamoDbService& local() { return test::DynamoDbLocal::shared(); }
DynamoDbService& standin() { return test::StandinDynamoDb::shared(); }

class DynamoDbServiceTest : public testing::TestWithParam<Make> {
 protected:
  DynamoClientWorld world{GetParam()()};
};
INSTANTIATE_TEST_SUITE_P(Local, DynamoDbServiceTest, testing::Values(&local));
INSTANTIATE_TEST_SUITE_P(Standin, DynamoDbServiceTest, testing::Values(&standin));

Item numbered(int number) {
  Item item;
  item.emplace("number", AttributeValue::number(number));
  return item;
}

Write put(const std::string& table, const std::string& key, Item item) {
  Write write(Write::Kind::put, table, key);
  write.item = std::move(item);
  return write;
}

// Adds to a number that may not pass a limit.
Write counted(const std::string& table, const std::string& key, int more, int most) {
  Write write(Write::Kind::update, table, key);
  write.update = "SET #n = #n + :more";
  write.condition = "#n <= :room";
  write.names.emplace("#n", "number");
  write.values.emplace(":more", AttributeValue::number(more));
  write.values.emplace(":room", AttributeValue::number(most - more));
  return write;
}

TEST_P(DynamoDbServiceTest, ItemsAreWrittenReadAndRemoved) {
  DynamoDb& client = world.client;

  const auto before = world.run(client.get(world.table, "a", world.soon()));
  const auto made = world.run(client.write(put(world.table, "a", numbered(7)), world.soon()));
  const auto found = world.run(client.get(world.table, "a", world.soon()));
  const Write remove(Write::Kind::remove, world.table, "a");
  const auto removed = world.run(client.write(remove, world.soon()));
  const auto after = world.run(client.get(world.table, "a", world.soon()));

  ASSERT_TRUE(before.has_value()) << before.error().text();
  EXPECT_FALSE(before->has_value());
  EXPECT_TRUE(made->is_done);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ(integer_at(**found, "number"), 7);
  EXPECT_EQ(text_at(**found, "pk"), "a");
  EXPECT_TRUE(removed->is_done);
  EXPECT_FALSE(after->has_value());
  EXPECT_EQ(client.usage().write_units, 2);
  EXPECT_EQ(client.usage().read_units, 3);  // half of it for nothing, doubled by consistency
}

TEST_P(DynamoDbServiceTest, ConditionsDecideAndShowWhatStoodInTheWay) {
  DynamoDb& client = world.client;
  ASSERT_TRUE(world.run(client.write(put(world.table, "n", numbered(90)), world.soon()))->is_done);

  const auto fits = world.run(client.write(counted(world.table, "n", 8, 100), world.soon()));
  const auto full = world.run(client.write(counted(world.table, "n", 8, 100), world.soon()));
  const auto nothing = world.run(client.write(counted(world.table, "x", 8, 100), world.soon()));
  Write fresh = put(world.table, "n", numbered(1));
  fresh.condition = "attribute_not_exists(pk)";
  const auto taken = world.run(client.write(fresh, world.soon()));

  ASSERT_TRUE(fits.has_value()) << fits.error().text();
  EXPECT_TRUE(fits->is_done);
  EXPECT_EQ(integer_at(*fits->item, "number"), 98);
  EXPECT_FALSE(full->is_done);
  EXPECT_EQ(integer_at(*full->item, "number"), 98);
  EXPECT_FALSE(nothing->is_done);
  EXPECT_FALSE(nothing->item.has_value());
  EXPECT_FALSE(taken->is_done);
  EXPECT_EQ(integer_at(*taken->item, "number"), 98);
  EXPECT_EQ(client.usage().write_units, 5);
}

TEST_P(DynamoDbServiceTest, TransactionsAreMadeWholeOrNotAtAll) {
  DynamoDb& client = world.client;
  ASSERT_TRUE(world.run(client.write(put(world.table, "n", numbered(90)), world.soon()))->is_done);
  Write fresh = put(world.table, "lease", numbered(8));
  fresh.condition = "attribute_not_exists(pk)";
  Write check(Write::Kind::check, world.table, "other");
  check.condition = "attribute_not_exists(pk)";

  const std::vector<Write> writes{counted(world.table, "n", 8, 100), fresh, check};
  const auto first = world.run(client.transact(writes, world.soon()));
  const auto second = world.run(client.transact(writes, world.soon()));
  const auto count = world.run(client.get(world.table, "n", world.soon()));

  ASSERT_TRUE(first.has_value()) << first.error().text();
  EXPECT_TRUE(first->is_done);
  ASSERT_TRUE(second.has_value()) << second.error().text();
  EXPECT_FALSE(second->is_done);
  ASSERT_EQ(second->writes.size(), 3u);
  EXPECT_FALSE(second->writes[0].is_done);
  EXPECT_EQ(integer_at(second->writes[0].item.value_or(Item()), "number"), 98);
  EXPECT_FALSE(second->writes[1].is_done);
  EXPECT_EQ(integer_at(second->writes[1].item.value_or(Item()), "number"), 8);
  EXPECT_TRUE(second->writes[2].is_done);
  EXPECT_EQ(integer_at(**count, "number"), 98);
}

TEST_P(DynamoDbServiceTest, ScansReadAllPagesAndBatchesAllKeys) {
  DynamoDb& client = world.client;
  // 40 items of 40 KB: a page of DynamoDB ends after 1 MB.
  std::set<std::string> wanted;
  for (int i = 0; i < 40; ++i) {
    Item item = numbered(i);
    item.emplace("filler", AttributeValue::text(std::string(40'000, 'x')));
    const std::string key = (i % 2 == 0 ? "even#" : "odd#") + std::to_string(i);
    if (i % 2 == 0) wanted.insert(key);
    ASSERT_TRUE(world.run(client.write(put(world.table, key, item), world.soon()))->is_done);
  }
  const std::uint64_t requests = client.usage().requests;

  const auto even = world.run(client.scan(world.table, "even#", world.soon()));
  const auto all = world.run(client.scan(world.table, "", world.soon()));
  const std::vector<std::string> keys{"even#0", "odd#1", "none"};
  const std::uint64_t scans = client.usage().requests - requests;
  const auto some = world.run(client.get_all(world.table, keys, world.soon()));

  ASSERT_TRUE(even.has_value()) << even.error().text();
  std::set<std::string> found;
  for (const Item& item : *even) found.insert(text_at(item, "pk"));
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(all->size(), 40u);
  EXPECT_GE(scans, 4u);
  ASSERT_TRUE(some.has_value()) << some.error().text();
  EXPECT_EQ(some->size(), 2u);
}

TEST_P(DynamoDbServiceTest, TablesAndTheirTimeToLive) {
  DynamoDb& client = world.client;

  const auto state = world.run(client.describe_table(world.table, world.soon()));
  const auto none = world.run(client.describe_table("none", world.soon()));
  const auto again = world.run(client.create_table(world.table, world.soon()));
  const auto before = world.run(client.describe_ttl(world.table, world.soon()));
  const auto enabled = world.run(client.enable_ttl(world.table, "ttl_epoch", world.soon()));
  const auto twice = world.run(client.enable_ttl(world.table, "ttl_epoch", world.soon()));
  const auto after = world.run(client.describe_ttl(world.table, world.soon()));
  const auto lost = world.run(client.get("none", "a", world.soon()));

  ASSERT_TRUE(state.has_value()) << state.error().text();
  EXPECT_TRUE(state->exists && state->is_active && state->has_right_key);
  EXPECT_EQ(state->key, "pk (S)");
  EXPECT_EQ(state->billing_mode, "PAY_PER_REQUEST");
  EXPECT_FALSE(none->exists);
  EXPECT_TRUE(again.has_value());
  EXPECT_FALSE(before->is_enabled);
  EXPECT_TRUE(enabled.has_value());
  EXPECT_TRUE(twice.has_value()) << twice.error().text();
  EXPECT_TRUE(after->is_enabled);
  EXPECT_EQ(after->attribute, "ttl_epoch");
  ASSERT_FALSE(lost.has_value());
  EXPECT_EQ(lost.error().code(), Errc::refused);
  EXPECT_THAT(lost.error().text(), HasSubstr("forebay leases setup --table none"));
}

TEST_P(DynamoDbServiceTest, AnOutageIsWaitedOutOrReported) {
  DynamoDb& client = world.client;
  ASSERT_TRUE(world.run(client.write(put(world.table, "n", numbered(1)), world.soon()))->is_done);

  world.server.stop();
  const auto away = world.run(client.get(world.table, "n", world.in(300ms)));
  world.server.start();
  const auto back = world.run(client.get(world.table, "n", world.soon()));
  world.server.freeze();
  const auto hangs = world.run(client.write(put(world.table, "n", numbered(2)), world.in(300ms)));
  world.server.thaw();
  const auto late = world.run(client.get(world.table, "n", world.soon()));

  ASSERT_FALSE(away.has_value());
  EXPECT_EQ(away.error().code(), Errc::connect_failed);
  ASSERT_TRUE(back.has_value()) << back.error().text();
  EXPECT_EQ(integer_at(**back, "number"), 1);
  ASSERT_FALSE(hangs.has_value());
  EXPECT_EQ(hangs.error().code(), Errc::timed_out);
  EXPECT_TRUE(late.has_value());
}

}  // namespace
}  // namespace forebay::aws
