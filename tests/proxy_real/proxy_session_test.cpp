// What one client sees through the proxy, in each mode.
#include <fmt/format.h>

#include "proxy_real/proxy_fixture.hpp"

namespace forebay::proxy {
namespace {

using namespace std::chrono_literals;

class ProxySessionTest : public ProxyTest {};

void in_session_mode(RouteConfiguration& route) { route.rules.pooling = Pooling::session; }

TEST_F(ProxySessionTest, AClientQueriesAndServersGoBack) {
  open(2);
  Client client(url());
  ASSERT_TRUE(client.is_connected()) << client.problem();

  EXPECT_EQ(client.query("SELECT 6 * 7").value, "42");
  EXPECT_EQ(client.execute("SELECT $1::int + 1", {"41"}).value, "42");
  EXPECT_EQ(client.query("SELECT 1/0").sqlstate, "22012");
  EXPECT_EQ(client.query("SELECT 'still here'").value, "still here");
  EXPECT_TRUE(eventually([&] { return pool().lent == 0; }));
  EXPECT_EQ(client.parameter("server_encoding"), "UTF8");
}

TEST_F(ProxySessionTest, ATransactionKeepsItsServerAndGivesItBack) {
  open(1);
  Client one(url()), other(url());
  ASSERT_TRUE(one.query("BEGIN").is_ok());
  EXPECT_EQ(PQtransactionStatus(one.get()), PQTRANS_INTRANS);
  EXPECT_EQ(pool().lent, 1);
  ASSERT_TRUE(one.query("SELECT 1").is_ok());
  EXPECT_EQ(one.query("SELECT nonsense").sqlstate, "42703");
  EXPECT_EQ(PQtransactionStatus(one.get()), PQTRANS_INERROR);
  EXPECT_EQ(one.query("SELECT 1").sqlstate, "25P02");
  ASSERT_TRUE(one.query("ROLLBACK").is_ok());
  EXPECT_EQ(other.query("SELECT 'mine'").value, "mine");
}

TEST_F(ProxySessionTest, PreparedStatementsFollowTheirClient) {
  open(2);
  Client one(url()), other(url()), third(url());
  ASSERT_TRUE(one.prepare("s", "SELECT 'one' || $1::text").is_ok());
  ASSERT_TRUE(other.prepare("s", "SELECT 'other' || $1::text").is_ok());
  for (int i = 0; i < 20; ++i) {
    // Somebody in a transaction keeps a server away, so that the others change places.
    if (i % 4 == 0) {
      ASSERT_TRUE(third.query(i % 8 == 0 ? "BEGIN" : "COMMIT").is_ok());
    }
    EXPECT_EQ(one.run("s", {"!"}).value, "one!");
    EXPECT_EQ(other.run("s", {"?"}).value, "other?");
  }
  EXPECT_EQ(third.run("s").sqlstate, "26000");
  EXPECT_EQ(one.prepare("s", "SELECT 3").sqlstate, "42P05");
  ASSERT_TRUE(one.query("DEALLOCATE s").is_ok());
  EXPECT_EQ(one.run("s", {"!"}).sqlstate, "26000");
  EXPECT_EQ(other.run("s", {"?"}).value, "other?");
}

TEST_F(ProxySessionTest, ReportedParametersFollowTheirClient) {
  open(1);
  Client one(url("&application_name=one")), other(url("&application_name=other"));
  ASSERT_TRUE(one.query("SET TimeZone TO 'Asia/Tokyo'").is_ok());
  EXPECT_EQ(one.parameter("TimeZone"), "Asia/Tokyo");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(one.query("SHOW TimeZone").value, "Asia/Tokyo");
    EXPECT_NE(other.query("SHOW TimeZone").value, "Asia/Tokyo");
    EXPECT_EQ(one.query("SHOW application_name").value, "one");
    EXPECT_EQ(other.query("SHOW application_name").value, "other");
  }
}

TEST_F(ProxySessionTest, ParametersOfTheStartFollowToo) {
  open(1);
  Client one(url("&options=-c%20search_path%3Dpg_catalog%20-c%20work_mem%3D7MB")), other(url());
  ASSERT_TRUE(one.is_connected()) << one.problem();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(one.query("SHOW search_path").value, "pg_catalog");
    EXPECT_EQ(one.query("SHOW work_mem").value, "7MB");
    EXPECT_NE(other.query("SHOW search_path").value, "pg_catalog");
    EXPECT_NE(other.query("SHOW work_mem").value, "7MB");
  }
  Client wrong(url("&options=-c%20work_mem%3Dmuch"));
  EXPECT_FALSE(wrong.is_connected());
  EXPECT_NE(wrong.problem().find("work_mem"), std::string::npos) << wrong.problem();
}

TEST_F(ProxySessionTest, WhatCannotFollowKeepsTheServer) {
  open(2);
  Client one(url()), other(url());
  ASSERT_TRUE(one.query("CREATE TEMPORARY TABLE mine AS SELECT 7 AS n").is_ok());
  EXPECT_EQ(pool().lent, 1);
  EXPECT_EQ(one.query("SELECT n FROM mine").value, "7");
  EXPECT_EQ(other.query("SELECT n FROM mine").sqlstate, "42P01");
  one.hang_up();
  EXPECT_TRUE(eventually([&] { return pool().lent == 0 && pool().cleaning == 0; }));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(other.query("SELECT n FROM mine").sqlstate, "42P01");
}

TEST_F(ProxySessionTest, WhatCannotFollowCanBeRefused) {
  open(1, [](RouteConfiguration& route) { route.rules.on_session_state = OnSessionState::refuse; });
  Client client(url());
  for (const char* const sql :
       {"LISTEN news", "CREATE TEMP TABLE t (n int)", "SELECT pg_advisory_lock(1)",
        "SET work_mem TO '8MB'", "PREPARE p AS SELECT 1", "LOAD 'auto_explain'"}) {
    const Answer answer = client.query(sql);
    EXPECT_EQ(answer.sqlstate, "0A000") << sql << ": " << answer.message;
    EXPECT_NE(answer.message.find("HINT"), std::string::npos) << answer.message;
    EXPECT_EQ(client.query("SELECT 1").value, "1");
  }
  EXPECT_EQ(pool().lent, 0);
}

TEST_F(ProxySessionTest, InSessionModeEverythingStays) {
  open(2, in_session_mode);
  Client client(url());
  ASSERT_TRUE(client.query("SET work_mem TO '8MB'").is_ok());
  ASSERT_TRUE(client.query("PREPARE p AS SELECT 5").is_ok());
  ASSERT_TRUE(client.prepare("q", "SELECT 6").is_ok());
  EXPECT_EQ(client.query("SHOW work_mem").value, "8MB");
  EXPECT_EQ(client.query("EXECUTE p").value, "5");
  EXPECT_EQ(client.run("q").value, "6");
  EXPECT_EQ(pool().lent, 1);
  client.hang_up();
  EXPECT_TRUE(eventually([&] { return pool().lent == 0 && pool().cleaning == 0; }));
  Client next(url());
  EXPECT_EQ(next.query("SHOW work_mem").value, "4MB");
  EXPECT_EQ(next.query("EXECUTE p").sqlstate, "26000");
}

TEST_F(ProxySessionTest, WhoWaitsTooLongHearsTheNumbersAndLivesOn) {
  open(1, [](RouteConfiguration& route) { route.limits.query_wait = 200ms; });
  Client holder(url()), waiter(url());
  ASSERT_TRUE(holder.query("BEGIN").is_ok());
  const Answer answer = waiter.query("SELECT 1");
  EXPECT_EQ(answer.sqlstate, "53300");
  EXPECT_NE(answer.message.find("1"), std::string::npos) << answer.message;
  EXPECT_EQ(waiter.execute("SELECT $1::int", {"1"}).sqlstate, "53300");
  ASSERT_TRUE(holder.query("COMMIT").is_ok());
  EXPECT_EQ(waiter.query("SELECT 2").value, "2");
  EXPECT_EQ(counters().unserved, 2u);
}

TEST_F(ProxySessionTest, WhoHangsUpLeavesTheLineAndWhatItHeldComesBack) {
  open(1);
  Client holder(url());
  ASSERT_TRUE(holder.query("BEGIN").is_ok());
  {
    Client waiter(url());
    ASSERT_EQ(PQsendQuery(waiter.get(), "SELECT 1"), 1);
    ASSERT_TRUE(eventually([&] { return counters().waiting == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return counters().waiting == 0; }));
  ASSERT_EQ(PQsendQuery(holder.get(), "SELECT pg_sleep(600)"), 1);
  ASSERT_TRUE(eventually([&] { return pool().lent == 1; }));
  holder.hang_up();
  Client next(url());
  EXPECT_EQ(next.query("SELECT 3").value, "3");
}

TEST_F(ProxySessionTest, LimitsEndQueriesAndIdleTransactions) {
  open(1, [](RouteConfiguration& route) {
    route.limits.query = 200ms;
    route.limits.idle_in_transaction = 300ms;
  });
  Client client(url());
  EXPECT_EQ(client.query("SELECT pg_sleep(600)").sqlstate, "57014");
  EXPECT_EQ(client.query("SELECT 1").value, "1");
  ASSERT_TRUE(client.query("BEGIN").is_ok());
  EXPECT_TRUE(eventually([&] { return pool().lent == 0; }));
  const Answer late = client.query("SELECT 1");
  EXPECT_NE(late.message.find("idle-in-transaction"), std::string::npos) << late.message;
  EXPECT_EQ(PQstatus(client.get()), CONNECTION_BAD);
}

TEST_F(ProxySessionTest, EveryStatementOfATransactionHasItsLimit) {
  open(1, [](RouteConfiguration& route) { route.limits.query = 200ms; });
  Client client(url());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(client.query("BEGIN").is_ok());
    EXPECT_EQ(client.query("SELECT 1").value, "1");
    EXPECT_EQ(client.query("SELECT pg_sleep(60)").sqlstate, "57014");
    ASSERT_TRUE(client.query("ROLLBACK").is_ok());
  }
  ASSERT_TRUE(client.query("LISTEN news").is_ok());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.query("SELECT pg_sleep(60)").sqlstate, "57014");
  EXPECT_EQ(counters().cancels, 4u);
}

TEST_F(ProxySessionTest, APipelineIsAnsweredInOrder) {
  open(2);
  Client client(url());
  ASSERT_EQ(PQenterPipelineMode(client.get()), 1);
  for (int unit = 0; unit < 3; ++unit) {
    const std::string name = fmt::format("p{}", unit);
    const std::string sql = fmt::format("SELECT {} + $1::int", unit);
    ASSERT_EQ(PQsendPrepare(client.get(), name.c_str(), sql.c_str(), 0, nullptr), 1);
    const char* const value = "10";
    ASSERT_EQ(PQsendQueryPrepared(client.get(), name.c_str(), 1, &value, nullptr, nullptr, 0), 1);
    if (unit == 1) {
      ASSERT_EQ(
          PQsendQueryParams(client.get(), "SELECT 1/0", 0, nullptr, nullptr, nullptr, nullptr, 0),
          1);
    }
    ASSERT_EQ(PQsendDescribePrepared(client.get(), name.c_str()), 1);
    ASSERT_EQ(PQpipelineSync(client.get()), 1);
  }
  std::string seen;
  for (int syncs = 0; syncs < 3;) {
    PGresult* const result = PQgetResult(client.get());
    if (result == nullptr) continue;
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC) {
      seen += "sync ";
      ++syncs;
    } else if (status == PGRES_TUPLES_OK) {
      seen += fmt::format("{} ", PQgetvalue(result, 0, 0));
    } else {
      seen += fmt::format("{} ", PQresStatus(status) + 6);
    }
    PQclear(result);
  }
  EXPECT_EQ(seen,
            "COMMAND_OK 10 COMMAND_OK sync COMMAND_OK 11 FATAL_ERROR PIPELINE_ABORTED sync "
            "COMMAND_OK 12 COMMAND_OK sync ");
}

TEST_F(ProxySessionTest, CopyGoesBothWays) {
  open(1);
  Client client(url());
  ASSERT_TRUE(client.query("CREATE TABLE copied (n int)").is_ok());
  PQclear(PQexec(client.get(), "COPY copied FROM STDIN"));
  for (int i = 0; i < 10'000; ++i) {
    const std::string line = fmt::format("{}\n", i);
    ASSERT_EQ(PQputCopyData(client.get(), line.data(), static_cast<int>(line.size())), 1);
  }
  ASSERT_EQ(PQputCopyEnd(client.get(), nullptr), 1);
  while (PGresult* const result = PQgetResult(client.get())) PQclear(result);
  EXPECT_EQ(client.query("SELECT sum(n) FROM copied").value, "49995000");
  PQclear(PQexec(client.get(), "COPY copied TO STDOUT"));
  int lines = 0;
  char* line = nullptr;
  while (PQgetCopyData(client.get(), &line, 0) > 0) {
    ++lines;
    PQfreemem(line);
  }
  while (PGresult* const result = PQgetResult(client.get())) PQclear(result);
  EXPECT_EQ(lines, 10'000);
  PQclear(PQexec(client.get(), "COPY copied FROM STDIN"));
  ASSERT_EQ(PQputCopyEnd(client.get(), "on second thought"), 1);
  EXPECT_EQ(answer_of(PQgetResult(client.get()), client.get()).sqlstate, "57014");
  while (PGresult* const result = PQgetResult(client.get())) PQclear(result);
  EXPECT_TRUE(client.query("DROP TABLE copied").is_ok());
}

}  // namespace
}  // namespace forebay::proxy
