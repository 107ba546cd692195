// The limits at the door, and the end of a session.
#include "standin_real/standin_fixture.hpp"

namespace forebay::standin {
namespace {

class StandinDoorTest : public StandinTest {};

TEST_F(StandinDoorTest, BeyondTheRateAndBeyondTheCap) {
  open([](cli::StandinSettings& settings) {
    settings.options.connect_burst = 3;
    settings.options.connects_per_second = 0.01;
    settings.options.max_sessions = 2;
  });
  const Client one = connect();
  {
    const Client other = connect();
    EXPECT_TRUE(one.is_connected() && other.is_connected());
    EXPECT_EQ(connect().problem(),
              "FATAL:  Unable to accept connection, too many open connections.");
  }
  EXPECT_EQ(connect().problem(), "FATAL:  Unable to accept connection, rate exceeded.");
  const StandinCounters counters = service_->counters();
  EXPECT_EQ(counters.accepted, 2U);
  EXPECT_EQ(counters.over_cap, 1U);
  EXPECT_EQ(counters.over_rate, 1U);
}

TEST_F(StandinDoorTest, DeniedAttemptsPayOrDoNot) {
  for (const bool do_pay : {true, false}) {
    open([do_pay](cli::StandinSettings& settings) {
      settings.options.connect_burst = 3;
      settings.options.connects_per_second = 0.01;
      settings.options.failed_attempts_pay = do_pay;
    });
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(Client(conninfo("guess")).is_connected());
    EXPECT_EQ(connect().is_connected(), !do_pay);
    service_.reset();
  }
}

// As fast as it can: the burst at once, and then the rate, on the clock as it is.
TEST_F(StandinDoorTest, AClientAsFastAsItCanGetsTheBurstAndThenTheRate) {
  constexpr int kBurst = 20;
  constexpr int kRate = 10;  // so slow that a busy machine keeps up
  open([](cli::StandinSettings& settings) {
    settings.options.connect_burst = kBurst;
    settings.options.connects_per_second = kRate;
  });
  int accepted = 0;
  const auto begin = std::chrono::steady_clock::now();
  auto now = begin;
  for (; now < begin + 3s; now = std::chrono::steady_clock::now())
    accepted += connect().is_connected() ? 1 : 0;
  const double expected = kBurst + kRate * std::chrono::duration<double>(now - begin).count();
  EXPECT_NEAR(accepted, expected, expected * 0.05);
}

TEST_F(StandinDoorTest, ASessionThatIsTooOldIsCutWithoutAWord) {
  open([](cli::StandinSettings& settings) { settings.options.session_age = 500ms; });
  Client client = connect();
  ASSERT_EQ(client.query("SELECT 1"), "1");
  EXPECT_TRUE(client.is_cut_within(10s));
  EXPECT_EQ(std::string(PQerrorMessage(client.get())).find("FATAL"), std::string::npos);
  EXPECT_EQ(service_->counters().too_old, 1U);
  EXPECT_EQ(service_->counters().sessions, 0);
}

TEST_F(StandinDoorTest, ItsTransactionMayFinish) {
  open([](cli::StandinSettings& settings) { settings.options.session_age = 500ms; });
  Client client = connect();
  ASSERT_EQ(client.query("BEGIN"), "BEGIN");
  EXPECT_FALSE(client.is_cut_within(1s));
  EXPECT_EQ(client.query("COMMIT"), "COMMIT");
  EXPECT_TRUE(client.is_cut_within(10s));
}

TEST_F(StandinDoorTest, OrMayNot) {
  open([](cli::StandinSettings& settings) {
    settings.options.session_age = 500ms;
    settings.options.may_transaction_finish = false;
  });
  Client client = connect();
  ASSERT_EQ(client.query("BEGIN"), "BEGIN");
  EXPECT_TRUE(client.is_cut_within(10s));
}

}  // namespace
}  // namespace forebay::standin
