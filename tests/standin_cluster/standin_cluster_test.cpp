// Everything at once, as on Aurora DSQL: services with reservoirs, tokens, leases and a rate work
// on a stand-in whose sessions are short, and are killed by chance. Nobody who is left notices.
#include <array>
#include <map>

#include "cluster/member_processes.hpp"
#include "forebay/env/random.hpp"
#include "standin_real/standin_fixture.hpp"
#include "support/lease_counter.hpp"
#include "support/load_time.hpp"
#include "support/places.hpp"

namespace forebay::standin {
namespace {

constexpr const char* kCluster = "forebaystandin000000000000.dsql.us-east-1.on.aws";
constexpr const char* kTable = "fleet";
constexpr int kServices = 4;
constexpr int kLimit = 48;   // of sessions; together the services want more
constexpr int kWanted = 16;  // by each
constexpr int kFilled = 6;   // then it begins to work
constexpr int kCallers = 4;  // of each
constexpr int kRate = 20;    // connects a second that the stand-in takes
constexpr int kBurst = 30;
constexpr int kAccounts = 60;
constexpr int kBalance = 1'000;

struct Shared {  // what the services are told of the cluster
  int limit = kLimit;
  int rate = kRate - 4;  // with some room for connects that come late
};

class StandinClusterTest : public StandinTest, protected test::MemberProcesses {
 protected:
  ~StandinClusterTest() override { kill_all(); }

  void open_cluster() {
    open([this](cli::StandinSettings& settings) {
      settings.dynamodb.emplace();
      settings.dynamodb->port = 0;
      settings.options.session_age = age_;
      settings.options.connects_per_second = kRate;
      settings.options.connect_burst = kBurst;
      settings.options.max_sessions = kLimit;
    });
    dynamodb_ = std::make_unique<aws::DynamoDb>(
        runtime_->env(), runtime_->http(), keys_,
        aws::DynamoDbOptions{"us-east-1", service_->dynamodb_url()});
    const Instant soon = deadline_after(now(), 30s);
    ASSERT_TRUE(run_blocking(runtime_->scheduler(), dynamodb_->create_table(kTable, soon)));
    Client admin = connect();
    const std::pair<const char*, std::string> answers[] = {
        {"CREATE ROLE", "CREATE ROLE app WITH LOGIN"},
        {"CREATE TABLE", "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL)"},
        {"CREATE TABLE",
         "CREATE TABLE journal (id text PRIMARY KEY, source int, target int, amount int)"},
        {"GRANT", "GRANT SELECT, UPDATE ON accounts TO app"},
        {"GRANT", "GRANT INSERT ON journal TO app"},
        {"INSERT 0 60",
         fmt::format("INSERT INTO accounts SELECT n, {} FROM generate_series(0, {}) n", kBalance,
                     kAccounts - 1)},
        {"conflicts 0.02", "SELECT standin.conflicts(0.02)"}};
    for (const auto& [answer, sql] : answers) ASSERT_EQ(admin.query(sql), answer);
  }
  void TearDown() override {
    kill_all();
    dynamodb_.reset();
    StandinTest::TearDown();
    Client behind(server_->superuser_url());
    behind.query("DROP TABLE accounts, journal; DROP ROLE app");
  }

  // Each life has a name of its own.
  void start_life(std::size_t service, const Shared& shared) {
    live_.at(service) = fmt::format("service-{}.{}", service, ++lives_);
    const std::string database = fmt::format(
        "postgres=host={} hostaddr=127.0.0.1 port={} user=app dbname=postgres "
        "sslmode=verify-full sslrootcert={}",
        kCluster, service_->port(), service_->certificate());
    const double age = std::chrono::duration<double>(age_).count();
    start_process(
        live_[service],
        {test::built_file("tests/forebay_cluster_member"), database,
         "dynamodb=" + service_->dynamodb_url(), fmt::format("table={}", kTable),
         fmt::format("endpoint={}", kCluster), "region=us-east-1", "credentials=environment",
         "user=app", "member=" + live_[service], fmt::format("limit={}", shared.limit),
         fmt::format("rate={}", shared.rate), fmt::format("wanted={}", kWanted),
         fmt::format("filled={}", kFilled), fmt::format("callers={}", kCallers),
         fmt::format("accounts={}", kAccounts), fmt::format("age={}", age),
         fmt::format("lifetime={}", age * 0.6), "ttl=4", "linger=1"},
        {fmt::format("AWS_ACCESS_KEY_ID={}", cli::kStandinKeyId),
         fmt::format("AWS_SECRET_ACCESS_KEY={}", cli::kStandinSecret),
         "AWS_EC2_METADATA_DISABLED=true"});
  }
  bool works(std::size_t service) const { return figure(live_.at(service), "transfers") > 0; }

  Instant now() { return runtime_->scheduler().now(); }
  // Looks again and again until it is so.
  template <class Condition>
  bool becomes(Duration limit, Condition condition) {
    const Instant deadline = deadline_after(now(), limit);
    while (now() < deadline) {
      most_sessions_ = std::max(most_sessions_, service_->counters().sessions);
      if (condition()) return true;
      embedded::pause(50ms);
    }
    return false;
  }
  void watch(Duration time) {
    becomes(time, [] { return false; });
  }
  std::int64_t leased() { return test::lease_counter(*runtime_, *dynamodb_, kTable, kCluster); }

  // The journal has what a service was told was done, and explains every balance.
  void check_accounts(const std::map<std::string, bool>& has_ended) {
    Client behind(server_->superuser_url());
    EXPECT_EQ(behind.query(fmt::format(
                  "SELECT count(*) FROM accounts WHERE balance <> {} + "
                  "(SELECT coalesce(sum(amount), 0) FROM journal WHERE target = accounts.id) - "
                  "(SELECT coalesce(sum(amount), 0) FROM journal WHERE source = accounts.id)",
                  kBalance)),
              "0");
    for (const auto& [member, process] : members_) {
      const std::string count = behind.query(
          fmt::format("SELECT count(*) FROM journal WHERE split_part(id, '/', 1) = '{}'", member));
      const double told = figure(member, "transfers");
      EXPECT_GE(std::stod(count), told) << member;
      if (has_ended.contains(member)) {
        EXPECT_EQ(std::stod(count), told) << member;
      }
    }
  }

  // Sessions end several times while it is tested.
  const Duration load_ = test::is_full_load() ? 5min : 1min;
  const Duration age_ = std::min<Duration>(60s, load_ / 2);
  aws::StaticCredentials keys_{aws::Credentials(cli::kStandinKeyId, cli::kStandinSecret)};
  std::unique_ptr<aws::DynamoDb> dynamodb_;
  std::array<std::string, kServices> live_;
  int lives_ = 0;
  int most_sessions_ = 0;
};

TEST_F(StandinClusterTest, ServicesThatAreKilledByChanceDisturbNobody) {
  ASSERT_NO_FATAL_FAILURE(open_cluster());
  for (std::size_t i = 0; i < kServices; ++i) start_life(i, {});
  for (std::size_t i = 0; i < kServices; ++i)
    ASSERT_TRUE(becomes(60s, [&] { return works(i); })) << said();

  SeededRandom random(20261119);
  const Instant end_of_load = deadline_after(now(), load_);
  int kills = 0;
  while (now() < end_of_load) {
    const std::size_t victim = random.below(kServices);
    kill(live_[victim]);
    ++kills;
    watch(random.between(100ms, 1s));
    start_life(victim, {});
    ASSERT_TRUE(becomes(60s, [&] { return works(victim); })) << said();
    watch(random.between(500ms, 3s));
  }
  // They want more than there is: what the dead have left is used, to the last session.
  EXPECT_TRUE(
      becomes(30s, [&] { return service_->counters().sessions == kLimit && leased() == kLimit; }))
      << leased() << " leased, " << service_->counters().sessions << " sessions\n"
      << said();
  std::map<std::string, bool> ended;
  for (const std::string& member : live_) {
    EXPECT_TRUE(end(member)) << said(member);
    ended[member] = true;
  }

  EXPECT_EQ(leased(), 0);
  check_accounts(ended);
  for (const auto& [member, process] : members_) {
    for (const char* const never : {"empty", "failed_transfers", "other_errors"})
      EXPECT_EQ(figure(member, never), 0) << never << '\n' << said(member);
  }
  const StandinCounters counters = service_->counters();
  EXPECT_EQ(counters.over_rate, 0U);
  EXPECT_EQ(counters.over_cap, 0U);
  EXPECT_EQ(counters.denied, 0U);
  EXPECT_EQ(counters.too_old, 0U);
  EXPECT_GT(sum("conflicts"), 0);
  fmt::print(
      "{:.0f} s, {} kills, {} sessions in turn, {} at once; {:.0f} transfers, {:.0f} attempts "
      "lost a conflict\n",
      std::chrono::duration<double>(load_).count(), kills, counters.accepted, most_sessions_,
      sum("transfers"), sum("conflicts"));
}

// What the test above would see if the services did not know of each other.
TEST_F(StandinClusterTest, ServicesThatShareNothingAreRefused) {
  ASSERT_NO_FATAL_FAILURE(open_cluster());
  for (std::size_t i = 0; i < kServices; ++i) start_life(i, {.limit = 1'000, .rate = 1'000});

  EXPECT_TRUE(becomes(60s, [this] {
    const StandinCounters counters = service_->counters();
    return counters.over_rate > 0 && counters.over_cap > 0;
  })) << said();
}

}  // namespace
}  // namespace forebay::standin
