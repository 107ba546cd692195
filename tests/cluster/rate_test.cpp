// One rate over processes that all want more than there is.
#include <cmath>
#include <deque>

#include "cluster/cluster_fixture.hpp"

namespace forebay::test {
namespace {

constexpr int kRateMembers = 8;
constexpr double kRate = 100;
constexpr double kMeasured = 20;  // seconds

// PostgreSQL notes a connection when it has let it in, a little later than it was begun, and not
// always by the same: on a machine with more processes than cores, by tenths of a second.
constexpr double kJitter = 0.6;

class RateTest : public ClusterTest {
 protected:
  RateTest() : ClusterTest(300) {}

  // Connections that live for half a second: eight times thirty of them want 480 a second.
  std::vector<Arrival> run_members(const Words& more) {
    for (int i = 0; i < kRateMembers; ++i) {
      Words words{"limit=300", "wanted=30", "lifetime=0.5", "rate=100", "callers=1"};
      words.insert(words.end(), more.begin(), more.end());
      start(fmt::format("member-{}", i), words);
    }
    EXPECT_TRUE(becomes(20s, [&] { return sessions("member-7") > 0; })) << said();
    embedded::pause(std::chrono::seconds(3));  // until all of them have had their turn
    const double from = server_time();
    embedded::pause(std::chrono::milliseconds(static_cast<int>(kMeasured * 1000)));
    std::vector<Arrival> all = arrivals();
    whole_run_ = all;
    std::erase_if(all, [&](const Arrival& arrival) {
      return arrival.at < from || arrival.at >= from + kMeasured;
    });
    return all;
  }
  double server_time() {
    return std::stod(
        std::string(ask("SELECT extract(epoch FROM clock_timestamp())").value(0, 0).value_or("0")));
  }

  // By how many the most crowded stretch of any length passes rate * t + extra; not above 0: never.
  double worst_excess(double extra) const {
    double worst = -extra;
    for (std::size_t i = 0; i < whole_run_.size(); ++i) {
      for (std::size_t j = i; j < whole_run_.size(); ++j) {
        const double time = whole_run_[j].at - whole_run_[i].at;
        worst = std::max(worst, static_cast<double>(j - i + 1) - kRate * time - extra);
      }
    }
    return worst;
  }

  void expect_used_and_fair(const std::vector<Arrival>& measured) {
    std::map<std::string, int> counts;
    for (const Arrival& arrival : measured) ++counts[arrival.member];
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
    EXPECT_GE(used, 0.95) << said();
    EXPECT_LE(most, 2 * least) << said();
  }

  std::vector<Arrival> whole_run_;
};

TEST_F(RateTest, BucketWithoutBurst) {
  const std::vector<Arrival> measured = run_members({"mode=bucket", "burst=1"});
  const double excess = worst_excess(1);
  fmt::print("bucket, burst 1: at worst {:.1f} more than rate * t + burst\n", excess);
  EXPECT_LE(excess, kRate * kJitter);
  expect_used_and_fair(measured);
}

TEST_F(RateTest, BucketWithBurst) {
  const std::vector<Arrival> measured = run_members({"mode=bucket", "burst=40"});
  const double excess = worst_excess(40);
  fmt::print("bucket, burst 40: at worst {:.1f} more than rate * t + burst\n", excess);
  EXPECT_LE(excess, kRate * kJitter);
  expect_used_and_fair(measured);
}

TEST_F(RateTest, Window) {
  const std::vector<Arrival> measured = run_members({"mode=window"});
  const double excess = worst_excess(kRate);
  fmt::print("window: at worst {:.1f} more than rate * t + rate\n", excess);
  EXPECT_LE(excess, kRate * kJitter);
  expect_used_and_fair(measured);

  // What was given out is exact: the store has an item for each second.
  const auto items = world_.run(world_.client.scan(
      world_.table, std::string("dsqlconnect#") + kMemberEndpoint + "#", world_.soon()));
  ASSERT_TRUE(items.has_value()) << items.error().text();
  EXPECT_GE(items->size(), static_cast<std::size_t>(kMeasured));
  for (const aws::Item& item : *items)
    EXPECT_LE(aws::integer_at(item, "count").value_or(0), static_cast<std::int64_t>(kRate));
}

}  // namespace
}  // namespace forebay::test
