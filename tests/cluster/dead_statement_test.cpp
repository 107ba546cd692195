// Processes that are killed in the middle of long statements. PostgreSQL goes on counting their
// sessions until it misses the clients, and nobody may have their places before that.
#include <cstdlib>

#include "cluster/cluster_fixture.hpp"
#include "forebay/env/random.hpp"

namespace forebay::test {
namespace {

constexpr int kFleetLimit = 40;
constexpr int kFleet = 8;

class DeadStatementTest : public ClusterTest {
 protected:
  DeadStatementTest() : ClusterTest(kFleetLimit) {}

  static std::string name(int number) { return fmt::format("member-{}", number); }
  // Together they want twice what there is. The server looks for its clients every five seconds,
  // which is longer than the ttl.
  void start_member(int number) {
    const std::string patience = "?options=-c%20client_connection_check_interval%3D5s";
    start(name(number),
          {"postgres=" + server_->url("app", "postgres") + patience, "limit=40", "wanted=10",
           "ttl=3", "linger=7", "rate=100", "burst=100", "callers=10", "work=20"});
  }
  int at_work() {
    const auto rows =
        ask("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query "
            "LIKE '%pg_sleep(20%' AND application_name LIKE 'member-%'");
    return std::stoi(std::string(rows.value(0, 0).value_or("0")));
  }
};

// FOREBAY_CLUSTER_ROUNDS=20 kills for some minutes.
TEST_F(DeadStatementTest, NobodyIsRefusedBecauseTheDeadAreStillCounted) {
  SeededRandom random(20261117);
  const char* const told = std::getenv("FOREBAY_CLUSTER_ROUNDS");
  const int rounds = told != nullptr ? std::atoi(told) : 1;
  for (int i = 0; i < kFleet; ++i) start_member(i);
  ASSERT_TRUE(becomes(30s, [&] { return sessions() == kFleetLimit && at_work() == kFleetLimit; }))
      << said();

  std::size_t lingered = 0;
  for (int round = 0; round < rounds; ++round) {
    const int first = static_cast<int>(random.below(kFleet));
    int killed = 0;
    for (int i = 0; i < 3; ++i) {
      const std::string victim = name((first + i) % kFleet);
      killed += sessions(victim);
      kill(victim);
      lingered += static_cast<std::size_t>(sessions(victim));
    }
    for (int i = 0; i < 3; ++i) start_member((first + i) % kFleet);
    // Down to what the living have, and up again when the leases of the dead are theirs.
    EXPECT_TRUE(becomes(15s, [&] { return sessions() <= kFleetLimit - killed; }) || killed == 0);
    EXPECT_TRUE(becomes(30s, [&] { return sessions() == kFleetLimit; })) << said();
    watch(random.between(0s, 2s));
  }

  EXPECT_GT(lingered, 0u) << "the server missed them at once: the test shows nothing";
  EXPECT_LE(most_, kFleetLimit);
  EXPECT_EQ(refused(), 0u) << "PostgreSQL had to refuse what was one too many";
}

}  // namespace
}  // namespace forebay::test
