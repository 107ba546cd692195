// A limit that is less than all want: each process gets its share, in whatever order they came.
#include "cluster/cluster_fixture.hpp"
#include "support/dynamodb_local.hpp"

namespace forebay::test {
namespace {

constexpr int kFairLimit = 40;

class FairShareClusterTest : public ClusterTest {
 protected:
  FairShareClusterTest() : ClusterTest(kFairLimit, DynamoDbLocal::shared()) {}

  void start_more(int count) {
    for (int i = 0; i < count; ++i, ++started_) {
      start(fmt::format("member-{}", started_), {"limit=40", "wanted=10", "ttl=3", "linger=1",
                                                 "rate=100", "lifetime=600", "callers=2"});
      alive_.push_back(fmt::format("member-{}", started_));
    }
    last_start_ = now();
  }
  // Their sessions as PostgreSQL counts them.
  bool has_everybody_its_share() {
    shares_.clear();
    bool is_fair = true;
    for (const std::string& member : alive_) {
      const int count = sessions(member);
      shares_ += fmt::format(" {}", count);
      is_fair = is_fair && count >= 4 && count <= 6;
    }
    return is_fair;
  }
  void expect_shares() {
    EXPECT_TRUE(becomes(10s, [&] { return has_everybody_its_share(); })) << shares_ << said();
    const double seconds = std::chrono::duration<double>(now() - last_start_).count();
    fmt::print("everybody has its share {:.1f} s after the last start:{}\n", seconds, shares_);
    // What the dead held comes back one ttl after them; from then on nothing moves.
    watch(last_start_ + 10s - now());
    const std::size_t connects = connects_received();
    EXPECT_FALSE(becomes(load_time(30s), [&] { return !has_everybody_its_share(); })) << shares_;
    EXPECT_LE(connects_received() - connects, alive_.size()) << "places go back and forth";
  }

  std::vector<std::string> alive_;
  int started_ = 0;
  Instant last_start_{};
  std::string shares_;
};

TEST_F(FairShareClusterTest, WhoComesLateToAFullClusterGetsItsShare) {
  start_more(4);
  ASSERT_TRUE(becomes(20s, [&] { return sessions() == kFairLimit; })) << said();
  start_more(4);
  expect_shares();

  for (const char* member : {"member-1", "member-6"}) {
    kill(member);
    std::erase(alive_, member);
  }
  start_more(2);
  expect_shares();
  EXPECT_LE(most_, kFairLimit);
  EXPECT_EQ(refused(), 0u);
}

}  // namespace
}  // namespace forebay::test
