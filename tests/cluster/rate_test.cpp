// One rate over processes that all want more than there is.
#include <cmath>
#include <deque>

#include "cluster/cluster_fixture.hpp"
#include "support/dynamodb_local.hpp"

namespace forebay::test {
namespace {

constexpr int kRateMembers = 8;
constexpr double kRate = 100;
constexpr double kMeasured = 20;    // seconds
constexpr double kLeastUsed = 0.5;  // of the rate

// PostgreSQL notes a connection when it has let it in, a little later than it was begun, and not
// always by the same: on a machine with more processes than cores, by tenths of a second. A rate
// that is not kept passes it by far more: by tens of seconds' worth.
constexpr double kJitter = 1.0;

// The store's time is told to the second, so members can be ahead of it by as much.
constexpr std::int64_t kClockMargin = 1;  // seconds

class RateTest : public ClusterTest {
 protected:
  explicit RateTest(DynamoDbService& dynamodb = StandinDynamoDb::shared())
      : ClusterTest(300, dynamodb) {}

  // Connections that live for half a second: eight times thirty of them want 480 a second.
  void start_members(const Words& more) {
    for (int i = 0; i < kRateMembers; ++i) {
      Words words{"limit=300", "wanted=30", "lifetime=0.5", "rate=100", "callers=1"};
      words.insert(words.end(), more.begin(), more.end());
      start(fmt::format("member-{}", i), words);
    }
    ASSERT_TRUE(becomes(30s, [&] { return connects_of(arrivals()).size() == kRateMembers; }))
        << said();
  }
  std::vector<Arrival> measure() {
    const double from = server_time();
    embedded::pause(std::chrono::milliseconds(static_cast<int>(kMeasured * 1000)));
    std::vector<Arrival> all = arrivals();
    std::erase_if(all, [&](const Arrival& arrival) {
      return arrival.at < from || arrival.at >= from + kMeasured;
    });
    return all;
  }
  double server_time() {
    return std::stod(
        std::string(ask("SELECT extract(epoch FROM clock_timestamp())").value(0, 0).value_or("0")));
  }

  static std::map<std::string, int> connects_of(const std::vector<Arrival>& some) {
    std::map<std::string, int> counts;
    for (const Arrival& arrival : some) ++counts[arrival.member];
    return counts;
  }

  bool is_used_and_fair(const std::vector<Arrival>& measured) {
    const std::map<std::string, int> counts = connects_of(measured);
    int least = counts.size() < kRateMembers ? 0 : 1 << 30;
    int most = 0;
    for (const auto& [member, count] : counts) {
      least = std::min(least, count);
      most = std::max(most, count);
    }
    const double used = static_cast<double>(measured.size()) / (kRate * kMeasured);
    fmt::print(
        "{:.1f} % of the rate used, {} to {} connects a process, {:.0f} places lost, {:.2f} "
        "write units a connect\n",
        used * 100, least, most, sum("lost_places"), sum("write_units") / sum("opened"));
    return used >= kLeastUsed && most <= 2 * least;
  }

  // Alone it is 95 % and more, and DynamoRateAgentsTest asks for that in virtual time. A machine
  // that is busy elsewhere lets places pass by, so here one of three stretches has to show that all
  // are at work.
  template <class Judge>
  void expect_once_in_three(Judge judge) {
    bool is_kept = false;
    for (int stretch = 0; stretch < 3 && !is_kept; ++stretch) is_kept = judge(measure());
    EXPECT_TRUE(is_kept) << said();
  }
  void expect_used_and_fair() {
    expect_once_in_three([this](const auto& measured) { return is_used_and_fair(measured); });
  }
  void expect_rate_kept(double extra) {
    const double excess = worst_excess(arrivals(), kRate, extra);
    fmt::print("at worst {:.1f} more than rate * t + {}\n", excess, extra);
    EXPECT_LE(excess, kRate * kJitter);
  }
  // What was given out is exact: the store has an item for each second. A machine that is busy can
  // only make a connect arrive later than it was allowed, so at the end of any second no more have
  // arrived than were given out by then.
  void expect_seconds_kept() {
    const std::string prefix = std::string("dsqlconnect#") + kMemberEndpoint + "#";
    const auto items = world_.run(world_.client.scan(world_.table, prefix, world_.soon()));
    ASSERT_TRUE(items.has_value()) << items.error().text();
    EXPECT_GE(items->size(), static_cast<std::size_t>(kMeasured));
    std::map<std::int64_t, std::int64_t> given;
    for (const aws::Item& item : *items) {
      const std::string key = aws::text_at(item, "pk");
      const std::int64_t count = aws::integer_at(item, "count").value_or(0);
      EXPECT_LE(count, static_cast<std::int64_t>(kRate)) << key;
      given[std::stoll(key.substr(prefix.size())) - kClockMargin] += count;
    }
    std::map<std::int64_t, std::int64_t> came;
    for (const Arrival& arrival : arrivals()) ++came[static_cast<std::int64_t>(arrival.at)];
    std::int64_t allowed = 0;
    std::int64_t arrived = 0;
    auto next = given.begin();
    for (const auto& [second, count] : came) {
      for (; next != given.end() && next->first <= second; ++next) allowed += next->second;
      arrived += count;
      ASSERT_LE(arrived, allowed) << "by the end of second " << second;
    }
  }
};

class RateOnDynamoDbLocalTest : public RateTest {
 protected:
  RateOnDynamoDbLocalTest() : RateTest(DynamoDbLocal::shared()) {}
};

TEST_F(RateTest, BucketWithoutBurst) {
  start_members({"mode=bucket", "burst=1"});
  expect_used_and_fair();
  expect_rate_kept(1);
}

TEST_F(RateTest, BucketWithBurst) {
  start_members({"mode=bucket", "burst=40"});
  expect_used_and_fair();
  expect_rate_kept(40);
}

TEST_F(RateOnDynamoDbLocalTest, Window) {
  start_members({});
  expect_used_and_fair();
  expect_rate_kept(kRate);

  expect_seconds_kept();
}

// Half of the fleet is of the older kind, and nothing is set: all of them count by the second. They
// want twice as much as there is. Clients of the older kind ask for each connect by itself, again
// and again, so many more of them would be a test of what one table can bear.
TEST_F(RateTest, OlderClientsAndOursShareOneRateByDefault) {
  for (int i = 0; i < 6; ++i) {
    const bool is_older = i < 3;
    start(fmt::format("member-{}", i),
          {"limit=300", is_older ? "wanted=12" : "wanted=30", "lifetime=0.5", "callers=1",
           is_older ? "kind=older" : "kind=ours"});
  }
  ASSERT_TRUE(becomes(60s, [&] { return connects_of(arrivals()).size() == 6; })) << said();

  expect_once_in_three([](const std::vector<Arrival>& measured) {
    int older = 0;
    for (const auto& [member, count] : connects_of(measured))
      if (member < "member-3") older += count;
    fmt::print("{} connects in {} s, {} of them by older clients\n", measured.size(), kMeasured,
               older);
    return older > 0 && static_cast<double>(measured.size()) >= kLeastUsed * kRate * kMeasured;
  });
  expect_rate_kept(kRate);
  expect_seconds_kept();
}

}  // namespace
}  // namespace forebay::test
