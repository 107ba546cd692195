// Transactions whose BEGIN and COMMIT travel with their statements: how many round trips they cost,
// counted on the wire, and what becomes of them when something fails.
#include <stdexcept>

#include <libpq-fe.h>

#include "integration/transaction_fixture.hpp"
#include "support/cancel_later.hpp"
#include "support/fault_proxy.hpp"

namespace forebay::test {
namespace {

using postgres::Batch;

class PipelinedTransactionTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    add_counters(3);
    proxy = std::make_unique<FaultProxy>(server->port());
    pool = open_pool_at(proxy->conninfo("app"), of_size(1));
    const Result<PooledSession> warm = pool->acquire_blocking(30s);
    ASSERT_TRUE(warm.has_value()) << warm.error().text();
  }

  // A transaction on a session that is open and clean: nothing else is said on the wire.
  template <class Body>
  Result<void> run(const std::string& operation, Body body) {
    const int before = proxy->round_trips();
    Result<void> done = run_transaction_blocking(*pool, options(operation), body);
    round_trips = proxy->round_trips() - before;
    return done;
  }
  template <class Body>
  void expect_round_trips(int expected, Body body) {
    const Result<void> done = run("counted", body);
    EXPECT_TRUE(done.has_value()) << done.error().text();
    EXPECT_EQ(round_trips, expected);
  }
  void refuse_commits(int times) {
    ASSERT_TRUE(ask("CREATE SEQUENCE tries; GRANT ALL ON tries TO app").has_value());
    ASSERT_TRUE(ask(fmt::format("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ "
                                "BEGIN IF nextval('tries') <= {} THEN RAISE EXCEPTION 'conflict' "
                                "USING ERRCODE = '40001'; END IF; RETURN NULL; END $$",
                                times))
                    .has_value());
    ASSERT_TRUE(ask("CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON counter DEFERRABLE INITIALLY "
                    "DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()")
                    .has_value());
  }

  std::unique_ptr<FaultProxy> proxy;
  std::unique_ptr<PostgresPool> pool;  // gone before the proxy
  int round_trips = 0;
};

TEST_F(PipelinedTransactionTest, BeginAndCommitCostNothingOfTheirOwn) {
  expect_round_trips(0, [](Transaction&) { return Result<void>(); });
  expect_round_trips(2, [](Transaction& transaction) { return add_one(transaction, 1); });
  expect_round_trips(1,
                     [](Transaction& transaction) { return add_one_and_commit(transaction, 1); });
  expect_round_trips(3, [](Transaction& transaction) -> Result<void> {
    for (const int id : {1, 2}) {
      const Result<void> added = add_one(transaction, id);
      if (!added) return added;
    }
    return add_one_and_commit(transaction, 3);
  });
  expect_round_trips(1, [](Transaction& transaction) -> Result<void> {
    Batch batch;
    for (const int id : {1, 2, 3}) batch.add(kAddOne, parameters(id));
    const auto done = transaction.exec_batch_and_commit_blocking(batch);
    return done ? Result<void>() : failure(done.error());
  });
  expect_round_trips(2, [](Transaction& transaction) -> Result<void> {
    Batch batch;
    for (const int id : {1, 2, 3}) batch.add(kAddOne, parameters(id));
    const auto done = transaction.exec_batch_blocking(batch);
    return done ? Result<void>() : failure(done.error());
  });

  EXPECT_EQ(counter(1), 5);
  EXPECT_EQ(counter(2), 3);
  EXPECT_EQ(counter(3), 3);
}

TEST_F(PipelinedTransactionTest, PreparingCostsNothingOfItsOwn) {
  const Result<PooledSession> session = pool->acquire_blocking(30s);
  ASSERT_TRUE(session.has_value()) << session.error().text();
  const postgres::PreparedStatement named("named", "SELECT 'named'");
  for (const int uses : {1, 2, 3}) {
    const int before = proxy->round_trips();
    EXPECT_TRUE((*session)->exec_blocking("SELECT 'plain'", 30s).has_value());
    EXPECT_TRUE((*session)->exec_blocking(named, 30s).has_value());
    EXPECT_EQ(proxy->round_trips() - before, 2);
    const auto prepared = (*session)->query_one_blocking<int>(
        fmt::format("SELECT count(*) FROM pg_prepared_statements -- {}", uses), 30s);
    EXPECT_EQ(prepared.value_or(-1), uses == 1 ? 1 : 2);
  }
}

// BEGIN has a round trip of its own where it cannot travel: as before.
TEST_F(PipelinedTransactionTest, WhatCannotTravelHasBeginBeforeIt) {
  const std::string several = "UPDATE counter SET value = 7 WHERE id = 1; SELECT 1";
  expect_round_trips(3, [&](Transaction& transaction) -> Result<void> {
    const auto done = transaction.exec_blocking(several);
    return done ? Result<void>() : failure(done.error());
  });
  const postgres::CopySource source = [](std::string& chunk) {
    chunk += "9\t90\n";
    return Result<bool>(false);
  };
  const Result<void> copied = run("copy", [&](Transaction& transaction) -> Result<void> {
    const auto done = transaction.copy_in_blocking("COPY counter FROM STDIN", source);
    if (!done) return failure(done.error());
    return failure(Errc::not_found, "no");
  });

  EXPECT_EQ(copied.error().code(), Errc::not_found);
  EXPECT_EQ(counter(1), 7);
  EXPECT_EQ(number(ask("SELECT count(*) FROM counter WHERE id = 9")), 0);
}

TEST_F(PipelinedTransactionTest, TheRawConnectionIsInTheTransaction) {
  const Result<void> done = run("raw", [](Transaction& transaction) -> Result<void> {
    PGconn* const native = transaction.connection().native();
    EXPECT_EQ(PQtransactionStatus(native), PQTRANS_INTRANS);
    return add_one_and_commit(transaction, 1);
  });

  EXPECT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(counter(1), 1);
}

Task<Result<int>> raw_by_task(Transaction& transaction) {
  const Result<void> begun = co_await transaction.begin();
  if (!begun) co_return failure(begun.error());
  const int status = PQtransactionStatus(transaction.connection().native());
  EXPECT_EQ(status, PQTRANS_INTRANS);
  const auto done = co_await transaction.exec_and_commit(kAddOne, parameters(1));
  if (!done) co_return failure(done.error());
  co_return status;
}

Task<Result<int>> add_by_task(Transaction& transaction) {
  const auto done = co_await transaction.exec_and_commit(kAddOne, parameters(1));
  if (!done) co_return failure(done.error());
  co_return static_cast<int>(done->affected_rows());
}

Task<Result<int>> add_batch_by_task(Transaction& transaction) {
  Batch first;
  first.add(kAddOne, parameters(1)).add(kAddOne, parameters(2));
  const auto added = co_await transaction.exec_batch(first);
  if (!added) co_return failure(added.error());
  const auto done = co_await transaction.exec_batch_and_commit(first);
  if (!done) co_return failure(done.error());
  co_return static_cast<int>(added->size() + done->size());
}

TEST_F(PipelinedTransactionTest, TasksDoTheSame) {
  Scheduler& scheduler = runtime.scheduler();
  const int before = proxy->round_trips();
  const Result<int> added =
      run_blocking(scheduler, run_transaction(*pool, options("task"), add_by_task));
  EXPECT_EQ(proxy->round_trips() - before, 1);
  const Result<int> batch =
      run_blocking(scheduler, run_transaction(*pool, options("batch"), add_batch_by_task));
  EXPECT_EQ(proxy->round_trips() - before, 3);
  const Result<int> raw =
      run_blocking(scheduler, run_transaction(*pool, options("raw"), raw_by_task));

  EXPECT_EQ(added.value_or(0), 1);
  EXPECT_EQ(batch.value_or(0), 4);
  EXPECT_TRUE(raw.has_value()) << raw.error().text();
  EXPECT_EQ(counter(1), 4);
  EXPECT_EQ(counter(2), 2);
}

TEST_F(PipelinedTransactionTest, AStatementThatFailsCommitsNothing) {
  const Result<void> done = run("fail", [](Transaction& transaction) -> Result<void> {
    EXPECT_TRUE(add_one(transaction, 1).has_value());
    const auto failed = transaction.exec_and_commit_blocking("SELECT 1 / 0");
    EXPECT_EQ(transaction.commit_state(), Transaction::Commit::not_sent);
    return failure(failed.error());
  });
  const Result<void> first = run("first", [](Transaction& transaction) -> Result<void> {
    return failure(transaction.exec_and_commit_blocking("SELECT 1 / 0").error());
  });
  const Result<void> middle = run("middle", [](Transaction& transaction) -> Result<void> {
    Batch batch;
    batch.add(kAddOne, parameters(1)).add("SELECT 1 / 0").add(kAddOne, parameters(1));
    return failure(transaction.exec_batch_and_commit_blocking(batch).error());
  });
  const Result<void> swallowed = run("swallowed", [](Transaction& transaction) -> Result<void> {
    EXPECT_FALSE(transaction.exec_and_commit_blocking("SELECT 1 / 0").has_value());
    return {};
  });

  for (const Result<void>* each : {&done, &first, &middle, &swallowed}) {
    ASSERT_FALSE(each->has_value());
    EXPECT_EQ(each->error().sqlstate(), "22012") << each->error().text();
  }
  EXPECT_EQ(counted("first").attempts, 1u);
  EXPECT_EQ(counter(1), 0);
}

// The transaction goes on: COMMIT was skipped.
TEST_F(PipelinedTransactionTest, AfterAStatementThatFailedASavepointHelps) {
  const Result<void> done = run("savepoint", [](Transaction& transaction) -> Result<void> {
    EXPECT_TRUE(transaction.exec_blocking("SAVEPOINT here").has_value());
    EXPECT_FALSE(transaction.exec_and_commit_blocking("SELECT 1 / 0").has_value());
    EXPECT_TRUE(transaction.exec_blocking("ROLLBACK TO SAVEPOINT here").has_value());
    return add_one_and_commit(transaction, 1);
  });

  EXPECT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(counter(1), 1);
}

TEST_F(PipelinedTransactionTest, AConflictAtCommitIsRetried) {
  refuse_commits(2);

  const Result<void> done = run("conflict", [](Transaction& transaction) -> Result<void> {
    Result<void> added = add_one_and_commit(transaction, 1);
    if (!added) {
      EXPECT_EQ(transaction.commit_state(), Transaction::Commit::refused);
    }
    return added;
  });

  ASSERT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(counter(1), 1);
  EXPECT_EQ(counted("conflict").attempts, 3u);
  EXPECT_EQ(counted("conflict").conflicts, 2u);
  EXPECT_EQ(round_trips, 3);
}

// A refusal of COMMIT that the body does not pass on is known all the same.
TEST_F(PipelinedTransactionTest, ARefusedCommitCannotBeSwallowed) {
  refuse_commits(1);

  const Result<void> done = run("swallowed", [](Transaction& transaction) -> Result<void> {
    static_cast<void>(add_one_and_commit(transaction, 1));
    return {};
  });

  EXPECT_TRUE(done.has_value());
  EXPECT_EQ(counter(1), 1);
  EXPECT_EQ(counted("swallowed").attempts, 2u);
}

TEST_F(PipelinedTransactionTest, ADeferredConstraintFailsAtCommitAndIsNotRetried) {
  ASSERT_TRUE(ask("CREATE TABLE part (counter int REFERENCES counter DEFERRABLE INITIALLY "
                  "DEFERRED); GRANT ALL ON part TO app")
                  .has_value());

  const Result<void> done = run("deferred", [](Transaction& transaction) -> Result<void> {
    EXPECT_TRUE(add_one(transaction, 1).has_value());
    return failure(transaction.exec_and_commit_blocking("INSERT INTO part VALUES (99)").error());
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().sqlstate(), "23503") << done.error().text();
  EXPECT_EQ(counted("deferred").attempts, 1u);
  EXPECT_EQ(counter(1), 0);
}

TEST_F(PipelinedTransactionTest, AfterCommitNothingFollows) {
  const Result<void> done = run("over", [](Transaction& transaction) -> Result<void> {
    EXPECT_TRUE(add_one_and_commit(transaction, 1).has_value());
    const Result<void> late = add_one(transaction, 2);
    EXPECT_EQ(late.error().code(), Errc::invalid);
    EXPECT_EQ(add_one_and_commit(transaction, 2).error().code(), Errc::invalid);
    EXPECT_EQ(transaction.exec_batch_blocking(Batch().add("SELECT 1")).error().code(),
              Errc::invalid);
    EXPECT_FALSE(transaction.copy_out_blocking("COPY counter TO STDOUT", {}).has_value());
    return {};
  });

  EXPECT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(counter(1), 1);
  EXPECT_EQ(counter(2), 0);
}

// Even an error that would else be retried.
TEST_F(PipelinedTransactionTest, AnErrorAfterCommitIsToldAsWhatItIs) {
  const Result<void> done = run("late", [](Transaction& transaction) -> Result<void> {
    EXPECT_TRUE(add_one_and_commit(transaction, 1).has_value());
    return failure(Errc::connection_lost, "of something else");
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::invalid);
  EXPECT_NE(done.error().text().find("what it did stays"), std::string::npos);
  EXPECT_NE(done.error().text().find("of something else"), std::string::npos);
  EXPECT_EQ(counted("late").attempts, 1u);
  EXPECT_EQ(counter(1), 1);
}

TEST_F(PipelinedTransactionTest, ExceptionsBeforeAndAfterCommit) {
  const auto throwing = [](int statements) {
    return [statements](Transaction& transaction) -> Result<void> {
      if (statements > 0) {
        EXPECT_TRUE(add_one(transaction, 1).has_value());
      }
      if (statements > 1) {
        EXPECT_TRUE(add_one_and_commit(transaction, 1).has_value());
      }
      throw std::runtime_error("no");
    };
  };
  for (const int statements : {0, 1, 2}) {
    EXPECT_THROW((void)run("throw", throwing(statements)), std::runtime_error);
    EXPECT_EQ(counter(1), statements == 2 ? 2 : 0);
  }
  // The next user is in no transaction.
  const Result<PooledSession> session = pool->acquire_blocking(30s);
  ASSERT_TRUE(session.has_value());
  EXPECT_FALSE((*session)->is_begin_pending());
  EXPECT_TRUE((*session)->exec_blocking("SELECT 1", 30s).has_value());
  EXPECT_EQ((*session)->transaction_state(), postgres::TransactionState::none);
}

Task<Result<int>> throw_after_commit(Transaction& transaction) {
  const auto done = co_await transaction.exec_and_commit(kAddOne, parameters(1));
  EXPECT_TRUE(done.has_value());
  throw std::runtime_error("no");
}

TEST_F(PipelinedTransactionTest, AnExceptionOfATaskAfterCommitSaysSo) {
  const Result<int> done = run_blocking(
      runtime.scheduler(), run_transaction(*pool, options("throw"), throw_after_commit));

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::invalid);
  EXPECT_NE(done.error().text().find("after it had committed"), std::string::npos)
      << done.error().text();
  EXPECT_EQ(counter(1), 1);
}

// Its end was there before anything was sent, so nothing is unknown.
TEST_F(PipelinedTransactionTest, ASessionThatDiedUnnoticedIsNoUnknownOutcome) {
  const int pid = [&] {
    const Result<PooledSession> session = pool->acquire_blocking(30s);
    return number((*session)->exec_blocking("SELECT pg_backend_pid()", 30s));
  }();
  int attempts = 0;
  const int ended = proxy->ended();
  const Result<void> done = run("died", [&](Transaction& transaction) {
    if (++attempts == 1) {
      EXPECT_TRUE(ask(fmt::format("SELECT pg_terminate_backend({}, 30000)", pid)).has_value());
      while (proxy->ended() == ended) std::this_thread::yield();  // it hands its end on
    }
    return add_one_and_commit(transaction, 1);
  });

  EXPECT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(counter(1), 1);
}

TEST_F(PipelinedTransactionTest, ADeadlineWithCommitOnItsWayIsAnUnknownOutcome) {
  TransactionOptions settings = options("late");
  settings.timeout = 1s;
  const Result<void> done =
      run_transaction_blocking(*pool, settings, [](Transaction& transaction) -> Result<void> {
        EXPECT_TRUE(add_one(transaction, 1).has_value());
        return failure(transaction.exec_and_commit_blocking("SELECT pg_sleep(5)").error());
      });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::unknown_outcome) << done.error().text();
  EXPECT_EQ(pool->statistics().counters.discarded(DiscardReason::broken), 1u);
}

// BEGIN was on its way with it, so the pool has a transaction to roll back.
TEST_F(PipelinedTransactionTest, ADeadlineInTheFirstStatementLeavesACleanSession) {
  TransactionOptions settings = options("slow");
  settings.timeout = 300ms;
  const Result<void> done =
      run_transaction_blocking(*pool, settings, [](Transaction& transaction) -> Result<void> {
        return failure(transaction.exec_blocking("SELECT pg_sleep(1000)").error());
      });
  EXPECT_EQ(done.error().code(), Errc::timed_out) << done.error().text();

  const Result<PooledSession> session = pool->acquire_blocking(30s);
  ASSERT_TRUE(session.has_value()) << session.error().text();
  EXPECT_EQ((*session)->transaction_state(), postgres::TransactionState::none);
  EXPECT_FALSE((*session)->is_begin_pending());
  EXPECT_EQ(PQpipelineStatus((*session)->native()), PQ_PIPELINE_OFF);
  EXPECT_TRUE((*session)->exec_blocking("SELECT 1", 30s).has_value());
}

// Nothing was sent: the deadline had passed before.
TEST_F(PipelinedTransactionTest, ADeadlineBeforeCommitIsNoUnknownOutcome) {
  TransactionOptions settings = options("too late");
  settings.timeout = 200ms;
  for (const bool has_begun : {false, true}) {
    const Result<void> done =
        run_transaction_blocking(*pool, settings, [&](Transaction& transaction) -> Result<void> {
          if (has_begun) {
            EXPECT_TRUE(add_one(transaction, 1).has_value());
          }
          std::this_thread::sleep_for(300ms);
          return add_one_and_commit(transaction, 1);
        });
    EXPECT_EQ(done.error().code(), Errc::timed_out) << done.error().text();
  }
  EXPECT_EQ(counter(1), 0);
}

}  // namespace
}  // namespace forebay::test
