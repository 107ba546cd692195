// What a user can leave behind on a connection, and that the next one does not find it.
#include <libpq-fe.h>

#include "postgres/postgres_fixture.hpp"

namespace forebay::postgres {
namespace {

class LibpqResetTest : public SessionTest {
 protected:
  void expect_clean_reset() {
    const Result<void> done = client_.reset(*connection_);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_TRUE(connection_->is_usable());
    EXPECT_FALSE(connection_->needs_reset());
    EXPECT_EQ(PQtransactionStatus(connection_->native()), PQTRANS_IDLE);
  }
};

TEST_F(LibpqResetTest, ClearsTheSession) {
  run("SET application_name = 'left behind'");
  run("PREPARE p AS SELECT 1");
  run("CREATE TEMP TABLE t (n int)");
  run("SELECT pg_advisory_lock(42)");
  run("LISTEN c");

  expect_clean_reset();

  EXPECT_EQ(ask("SHOW application_name"), "forebay");
  EXPECT_EQ(ask("SELECT count(*) FROM pg_prepared_statements"), "0");
  EXPECT_EQ(ask("SELECT to_regclass('pg_temp.t')"), "null");
  EXPECT_EQ(ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0");
  EXPECT_EQ(ask("SELECT count(*) FROM pg_listening_channels()"), "0");
}

TEST_F(LibpqResetTest, RollsBackAnOpenTransaction) {
  run("CREATE TEMP TABLE t (n int)");
  run("BEGIN");
  run("INSERT INTO t VALUES (1)");

  expect_clean_reset();
}

TEST_F(LibpqResetTest, RollsBackAFailedTransaction) {
  run("BEGIN");
  ASSERT_FALSE(connection_->exec_blocking("SELECT 1/0", kPatience));

  expect_clean_reset();
}

TEST_F(LibpqResetTest, EndsACopyIntoTheServer) {
  run("CREATE TEMP TABLE t (n int)");
  run("BEGIN");
  const auto copy = client_.exec(*connection_, "COPY t FROM STDIN");
  ASSERT_TRUE(copy && copy->is_copy());
  ASSERT_EQ(PQputCopyData(connection_->native(), "1\n", 2), 1);

  const auto busy = client_.exec(*connection_, "SELECT 1");
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code(), Errc::invalid);

  expect_clean_reset();
}

TEST_F(LibpqResetTest, EndsACopyOutOfTheServer) {
  const auto copy = client_.exec(
      *connection_, "COPY (SELECT repeat('x', 100) FROM generate_series(1, 100000)) TO STDOUT");
  ASSERT_TRUE(copy && copy->is_copy());

  expect_clean_reset();
}

TEST_F(LibpqResetTest, ReadsResultsThatNobodyRead) {
  PGconn* native = connection_->native();
  ASSERT_EQ(PQsendQuery(native, "BEGIN; SELECT repeat('x', 1000) FROM generate_series(1, 10000)"),
            1);
  ASSERT_EQ(PQsetSingleRowMode(native), 1);

  expect_clean_reset();
}

TEST_F(LibpqResetTest, LeavesPipelineModeWhenItIsEmpty) {
  ASSERT_EQ(PQenterPipelineMode(connection_->native()), 1);

  expect_clean_reset();
  EXPECT_EQ(PQpipelineStatus(connection_->native()), PQ_PIPELINE_OFF);
}

// With its Sync and without, and with an error in the middle.
TEST_F(LibpqResetTest, EndsAnUnfinishedPipeline) {
  for (const bool is_synced : {true, false}) {
    PGconn* native = connection_->native();
    ASSERT_EQ(PQenterPipelineMode(native), 1);
    for (const char* sql : {"SELECT 1", "SELECT 2", "SELECT 1 / 0", "SELECT 3"}) {
      ASSERT_EQ(PQsendQueryParams(native, sql, 0, nullptr, nullptr, nullptr, nullptr, 0), 1);
    }
    if (is_synced) {
      ASSERT_EQ(PQpipelineSync(native), 1);
    }

    expect_clean_reset();
    EXPECT_EQ(PQpipelineStatus(connection_->native()), PQ_PIPELINE_OFF);
  }
}

void count_notice(void* count, const PGresult*) { ++*static_cast<int*>(count); }

TEST_F(LibpqResetTest, ForgetsWhatLibpqRemembers) {
  int notices = 0;
  PGconn* native = connection_->native();
  PQsetNoticeReceiver(native, &count_notice, &notices);
  PQsetErrorVerbosity(native, PQERRORS_SQLSTATE);
  PQsetnonblocking(native, 0);
  run("LISTEN c");
  run("NOTIFY c, 'left behind'");

  expect_clean_reset();

  run("DO $$ BEGIN RAISE WARNING 'hello'; END $$");
  EXPECT_EQ(notices, 0);
  EXPECT_EQ(PQisnonblocking(native), 1);
  EXPECT_EQ(PQnotifies(native), nullptr);
  EXPECT_EQ(PQsetErrorVerbosity(native, PQERRORS_DEFAULT), PQERRORS_DEFAULT);
}

TEST_F(LibpqResetTest, ThatIsNotDoneInTimeMakesTheConnectionUseless) {
  ASSERT_EQ(PQsendQuery(connection_->native(), "SELECT pg_sleep(1)"), 1);

  const Result<void> late = client_.reset(*connection_, 50ms);

  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Errc::timed_out);
  EXPECT_FALSE(connection_->is_usable());
}

TEST_F(LibpqResetTest, WorksWithTheMessagesOfTheDsqlProfileToo) {
  run("SET application_name = 'left behind'");
  run("PREPARE p AS SELECT 1");
  run("BEGIN");

  for (const std::string& message :
       ServerProfile::dsql().reset_messages({wire::Leftover::everything}, true))
    run(message);

  EXPECT_EQ(ask("SHOW application_name"), "forebay");
  EXPECT_EQ(ask("SELECT count(*) FROM pg_prepared_statements"), "0");
  EXPECT_EQ(PQtransactionStatus(connection_->native()), PQTRANS_IDLE);
}

}  // namespace
}  // namespace forebay::postgres
