// DynamoDB goes away for twenty seconds, under load.
#include "cluster/cluster_fixture.hpp"
#include "support/dynamodb_local.hpp"

namespace forebay::test {
namespace {

constexpr int kOutageLimit = 40;
constexpr int kOutageMembers = 4;
constexpr Duration kOutage = 20s;

class OutageTest : public ClusterTest {
 protected:
  explicit OutageTest(DynamoDbService& dynamodb = StandinDynamoDb::shared())
      : ClusterTest(kOutageLimit, dynamodb) {}
  ~OutageTest() override { world_.server.start(); }

  void start_members(const std::string& absence) {
    for (int i = 0; i < kOutageMembers; ++i) {
      start(fmt::format("member-{}", i), {"limit=40", "wanted=10", "ttl=10", "rate=20", "burst=10",
                                          "lifetime=300", "callers=3", "absence=" + absence});
    }
    ASSERT_TRUE(becomes(30s, [&] {
      return sessions() == kOutageLimit && counter() == kOutageLimit;
    })) << said();
    // Until everybody has heard of everybody.
    ASSERT_TRUE(becomes(20s, [&] {
      return sum("known_processes") == kOutageMembers * kOutageMembers;
    })) << said();
  }
  // As if the network had lost them: the pools find out when they use them, or check them.
  void cut_connections(int of_each) {
    ask(
        fmt::format("SELECT pg_terminate_backend(pid) FROM (SELECT pid, row_number() OVER "
                    "(PARTITION BY application_name) AS place FROM pg_stat_activity "
                    "WHERE application_name LIKE 'member-%') s WHERE place <= {}",
                    of_each));
  }
  double requests() const { return sum("lease_requests") + sum("rate_requests"); }

  // The largest number of requests that any member sent within one of its seconds.
  double busiest_second(Duration time) {
    double most = 0;
    std::map<std::string, double> before;
    for (const auto& [member, process] : members_)
      before[member] = figure(member, "lease_requests") + figure(member, "rate_requests");
    const Instant end = now() + time;
    while (now() < end) {
      embedded::pause(1s);
      sessions();
      for (auto& [member, count] : before) {
        const double now_sent = figure(member, "lease_requests") + figure(member, "rate_requests");
        most = std::max(most, now_sent - count);
        count = now_sent;
      }
    }
    return most;
  }
  void expect_healed() {
    EXPECT_TRUE(
        becomes(40s, [&] { return sessions() == kOutageLimit && counter() == kOutageLimit; }))
        << "sessions " << sessions() << ", counter " << counter() << '\n'
        << said();
    EXPECT_LE(most_, kOutageLimit);
    EXPECT_EQ(refused(), 0u);
  }
};

class OutageOnDynamoDbLocalTest : public OutageTest {
 protected:
  OutageOnDynamoDbLocalTest() : OutageTest(DynamoDbLocal::shared()) {}
};

TEST_F(OutageOnDynamoDbLocalTest, HoldServesWhatIsReadyAndOpensNothing) {
  start_members("hold");
  const double failed_before = sum("failed_acquires");
  world_.server.stop();
  embedded::pause(1500ms);  // places that were taken ahead have passed
  const std::size_t arrived = arrivals().size();
  cut_connections(5);
  watch(kOutage);

  EXPECT_EQ(arrivals().size(), arrived) << "something was opened without the store's word";
  EXPECT_EQ(sum("failed_acquires"), failed_before) << said();
  EXPECT_EQ(sessions(), kOutageLimit / 2);

  world_.server.start();
  const double busiest = busiest_second(10s);
  fmt::print("after the outage: at most {:.0f} requests a second from one process\n", busiest);
  EXPECT_LE(busiest, 20);
  expect_healed();
}

TEST_F(OutageTest, LocalGoesOnInsideItsShare) {
  start_members("local");
  const double failed_before = sum("failed_acquires");
  world_.server.stop();
  embedded::pause(1500ms);
  const std::size_t arrived = arrivals().size();
  cut_connections(5);
  EXPECT_TRUE(becomes(kOutage, [&] { return sessions() == kOutageLimit; })) << said();
  watch(5s);

  for (const auto& [member, process] : members_)
    EXPECT_LE(sessions(member), kOutageLimit / kOutageMembers);
  std::map<std::string, std::vector<Arrival>> came;
  const std::vector<Arrival> all = arrivals();
  for (std::size_t i = arrived; i < all.size(); ++i) came[all[i].member].push_back(all[i]);
  // A share is 5 connects a second; PostgreSQL's log may be late by up to a second.
  for (const auto& [member, some] : came) EXPECT_LE(worst_excess(some, 5, 1), 5 * 1.0) << member;
  EXPECT_EQ(sum("failed_acquires"), failed_before) << said();

  world_.server.start();
  const double busiest = busiest_second(10s);
  fmt::print("after the outage: at most {:.0f} requests a second from one process\n", busiest);
  EXPECT_LE(busiest, 20);
  expect_healed();
}

}  // namespace
}  // namespace forebay::test
