// What goes wrong on purpose, as SELECT standin.…() tells it.
#include "standin_real/standin_fixture.hpp"

namespace forebay::standin {
namespace {

class StandinChaosTest : public StandinTest {};

TEST_F(StandinChaosTest, ConflictsAtCommit) {
  open();
  Client client = connect();
  client.query("DROP TABLE IF EXISTS counted");
  ASSERT_EQ(client.query("CREATE TABLE counted (id int PRIMARY KEY)"), "CREATE TABLE");
  ASSERT_EQ(client.query("SELECT standin.conflicts(1)"), "conflicts 1");
  ASSERT_EQ(client.query("BEGIN"), "BEGIN");
  EXPECT_EQ(client.execute("INSERT INTO counted VALUES (1)"), "INSERT 0 1");
  EXPECT_EQ(client.execute("COMMIT"), "40001 change conflicts with another transaction (OC000)");
  EXPECT_EQ(PQtransactionStatus(client.get()), PQTRANS_IDLE);
  ASSERT_EQ(client.query("SELECT standin.calm()"), "calm");
  EXPECT_EQ(client.query("INSERT INTO counted VALUES (1)"), "INSERT 0 1");
  EXPECT_EQ(client.query("SELECT standin.conflicts(7)"), "22023 the fraction must be from 0 to 1");
}

TEST_F(StandinChaosTest, TokensAreRefusedClustersWakeUpAndConnectionsDrop) {
  open();
  Client client = connect();
  ASSERT_EQ(client.query("SELECT standin.refuse_tokens(true)"), "refuse_tokens on");
  EXPECT_EQ(connect().problem(), "FATAL:  unable to accept connection, access denied");
  ASSERT_EQ(client.query("SELECT standin.refuse_tokens(false)"), "refuse_tokens off");
  ASSERT_EQ(client.query("SELECT standin.wake_up(1)"), "wake_up 1");
  EXPECT_EQ(connect().problem(),
            "FATAL:  unable to accept connection, waking up cluster, please retry later");
  Client other = connect();
  ASSERT_TRUE(other.is_connected());
  client.query("SELECT standin.drop_connections()");
  EXPECT_TRUE(other.is_cut_within(10s));
  EXPECT_TRUE(connect().is_connected());
}

TEST_F(StandinChaosTest, ItIsSlowAndThenAway) {
  open([](cli::StandinSettings& settings) {
    settings.options.chaos.emplace_back("slow_connects 300ms");
  });
  const auto begin = std::chrono::steady_clock::now();
  Client client = connect();
  EXPECT_TRUE(client.is_connected());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 300ms);
  client.query("SELECT standin.calm()");
  client.query("SELECT standin.go_away('800 milliseconds')");
  EXPECT_FALSE(connect().is_connected());
  bool is_back = false;
  for (int i = 0; i < 500 && !is_back; ++i) {
    is_back = connect().is_connected();
    if (!is_back) std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(is_back);
}

TEST_F(StandinChaosTest, OnlyTheAdminMayDoIt) {
  open();
  Client admin = connect();
  ASSERT_EQ(admin.query("CREATE ROLE clerk WITH LOGIN"), "CREATE ROLE");
  Client clerk(conninfo(token("clerk"), "clerk"));
  EXPECT_EQ(clerk.query("SELECT standin.go_away('1 hour')"),
            "42501 permission denied for function go_away");
  EXPECT_EQ(admin.query("DROP ROLE clerk"), "DROP ROLE");
}

}  // namespace
}  // namespace forebay::standin
