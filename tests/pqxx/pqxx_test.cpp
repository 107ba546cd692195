// libpqxx on sessions of the pool: it works, and it neither opens nor closes any.
#include "forebay/pqxx.hpp"

#include "integration/pool_fixture.hpp"

// libpqxx 6.4 asks for the encoding of a connection that is lost, throws, and leaves the result
// behind, with any connection of its own as well.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:libpqxx\n"; }

namespace forebay::test {
namespace {

using postgres::PqxxConnection;

class PqxxTest : public PoolFixture {
 protected:
  void SetUp() override {
    launch({});
    PoolOptions options;
    options.size.max = 1;
    pool = open_pool(options);
    ASSERT_NE(pool, nullptr);
  }
  PooledSession acquire() {
    Result<PooledSession> session = pool->acquire_blocking(30s);
    FOREBAY_CHECK(session.has_value(), session.error().text());
    return std::move(*session);
  }
  std::string value(PooledSession& session, const std::string& sql) {
    const auto text = session->query_one_blocking<std::string>(sql, 30s);
    return text ? *text : text.error().text();
  }

  std::unique_ptr<PostgresPool> pool;
};

TEST_F(PqxxTest, RunsTransactionsOnThePoolsOwnSession) {
  PooledSession session = acquire();
  const std::string pid = value(session, "SELECT pg_backend_pid()");
  {
    PqxxConnection connection(*session);
    EXPECT_EQ(std::to_string(connection.backendpid()), pid);
    pqxx::work work(connection);
    work.exec("CREATE TEMP TABLE t (n int, word text)");
    work.exec_params("INSERT INTO t VALUES ($1, $2)", 7, "it's");
    work.commit();
  }

  EXPECT_EQ(value(session, "SELECT word FROM t WHERE n = 7"), "it's");
  EXPECT_EQ(value(session, "SELECT pg_backend_pid()"), pid);
  EXPECT_TRUE(session->needs_reset());
  EXPECT_EQ(PQisnonblocking(session->native()), 1);
  session.give_back();
  EXPECT_EQ(pool->statistics().counters.opened, 1u);
}

TEST_F(PqxxTest, WhatItLeavesBehindIsCleared) {
  {
    PooledSession session = acquire();
    PqxxConnection connection(*session);
    connection.prepare("seven", "SELECT 7");
    connection.set_variable("work_mem", "'1MB'");
    pqxx::work work(connection);
    EXPECT_EQ(work.exec_prepared1("seven")[0].as<int>(), 7);
    work.commit();
  }

  PooledSession session = acquire();
  EXPECT_EQ(value(session, "SELECT count(*) FROM pg_prepared_statements"), "0");
  EXPECT_NE(value(session, "SHOW work_mem"), "1MB");
  EXPECT_EQ(pool->statistics().counters.opened, 1u);
}

TEST_F(PqxxTest, StreamsMoreThanSocketBuffersHold) {
  static constexpr int kRows = 100'000;
  PooledSession session = acquire();
  PqxxConnection connection(*session);
  pqxx::work work(connection);
  work.exec("CREATE TEMP TABLE big (n int, body text)");
  pqxx::stream_to stream(work, "big");
  const std::string body(100, 'x');
  for (int number = 0; number < kRows; ++number) stream << std::make_tuple(number, body);
  stream.complete();

  EXPECT_EQ(work.exec1("SELECT count(*) FROM big")[0].as<int>(), kRows);
  work.commit();
}

TEST_F(PqxxTest, LosesTheSessionWithoutOpeningAnother) {
  PooledSession session = acquire();
  const std::string pid = value(session, "SELECT pg_backend_pid()");
  {
    PqxxConnection connection(*session);
    ASSERT_EQ(number(ask("SELECT pg_terminate_backend(" + pid + ", 30000)::int")), 1);
    const auto work_on_it = [&connection] {
      pqxx::nontransaction work(connection);
      work.exec("SELECT 1");
    };
    EXPECT_THROW(work_on_it(), pqxx::broken_connection);
    EXPECT_THROW(work_on_it(), pqxx::broken_connection);
    EXPECT_EQ(sessions(), 0);
  }
  EXPECT_FALSE(session->is_usable());
  EXPECT_THROW(PqxxConnection late(*session), pqxx::broken_connection);
  session.give_back();

  PooledSession next = acquire();
  EXPECT_NE(value(next, "SELECT pg_backend_pid()"), pid);
}

TEST_F(PqxxTest, GivesTheSessionUpWithoutClosingIt) {
  PooledSession session = acquire();
  PqxxConnection connection(*session);
  connection.disconnect();

  EXPECT_EQ(value(session, "SELECT 7"), "7");
  EXPECT_THROW(pqxx::work work(connection), pqxx::broken_connection);
  EXPECT_EQ(sessions(), 1);
}

class NoticeCounter final : public pqxx::errorhandler {
 public:
  explicit NoticeCounter(pqxx::connection_base& connection) : pqxx::errorhandler(connection) {}
  bool operator()(const char*) noexcept override {
    ++count;
    return false;
  }
  int count = 0;
};

TEST_F(PqxxTest, HearsNoticesWhileItHasTheSession) {
  PooledSession session = acquire();
  {
    PqxxConnection connection(*session);
    NoticeCounter counter(connection);
    pqxx::nontransaction work(connection);
    work.exec("DO $$ BEGIN RAISE NOTICE 'hello'; END $$");
    EXPECT_EQ(counter.count, 1);
  }
  EXPECT_TRUE(session->exec_blocking("DO $$ BEGIN RAISE NOTICE 'hello'; END $$", 30s));
}

}  // namespace
}  // namespace forebay::test
