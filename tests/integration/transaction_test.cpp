// run_transaction on a real server: what is committed, what is rolled back, and what is run again.
#include <stdexcept>

#include "integration/transaction_fixture.hpp"

namespace forebay::test {
namespace {

constexpr const char* kRaiseConflict =
    "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$";

class TransactionTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    add_counters(3);
    pool = open_pool(of_size(2));
  }
  int value(int id) { return counter(id); }
  int open_transactions() {
    return number(
        ask("SELECT count(*) FROM pg_stat_activity WHERE usename = 'app' AND state LIKE 'idle in "
            "transaction%'"));
  }

  template <class Body>
  Result<void> run(const std::string& operation, Body body) {
    return run_transaction_blocking(*pool, options(operation), body);
  }

  std::unique_ptr<PostgresPool> pool;
};

TEST_F(TransactionTest, CommitsWhatItsBodyDidAndGivesItsValue) {
  TransactionOptions settings = options("commit");
  settings.isolation = Isolation::serializable;

  const Result<std::string> level = run_transaction_blocking(
      *pool, settings, [](Transaction& transaction) -> Result<std::string> {
        const Result<void> added = add_one(transaction, 1);
        if (!added) return failure(added.error());
        return transaction.query_one_blocking<std::string>("SHOW transaction_isolation");
      });

  ASSERT_TRUE(level.has_value()) << level.error().text();
  EXPECT_EQ(*level, "serializable");
  EXPECT_EQ(value(1), 1);
  EXPECT_EQ(open_transactions(), 0);
}

TEST_F(TransactionTest, AnErrorOfTheBodyRollsBack) {
  const Result<void> done = run("fail", [](Transaction& transaction) -> Result<void> {
    const Result<void> added = add_one(transaction, 1);
    EXPECT_TRUE(added.has_value()) << added.error().text();
    return failure(Errc::not_found, "the order is gone");
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::not_found);
  EXPECT_EQ(done.error().text(), "the order is gone");
  EXPECT_EQ(open_transactions(), 0);
  EXPECT_EQ(value(1), 0);
  EXPECT_EQ(counted("fail").attempts, 1u);
}

TEST_F(TransactionTest, AParameterTooFewIsNotTriedAgain) {
  const Result<void> done = run("too few", [](Transaction& transaction) -> Result<void> {
    const auto rows = transaction.exec_blocking("SELECT $1::int, $2::int", parameters(1));
    return rows ? Result<void>() : failure(rows.error());
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().sqlstate(), "08P01");
  EXPECT_EQ(counted("too few").attempts, 1u);
}

TEST_F(TransactionTest, AnExceptionOfTheBodyRollsBackAndGoesOn) {
  const auto throwing = [](Transaction& transaction) -> Result<void> {
    const Result<void> added = add_one(transaction, 1);
    EXPECT_TRUE(added.has_value()) << added.error().text();
    throw std::runtime_error("no");
  };

  EXPECT_THROW((void)run("throw", throwing), std::runtime_error);

  EXPECT_EQ(open_transactions(), 0);
  EXPECT_EQ(value(1), 0);
  EXPECT_EQ(counted("throw").attempts, 1u);
}

TEST_F(TransactionTest, AnErrorThatTheBodySwallowedIsNoSuccess) {
  const Result<void> done = run("swallow", [](Transaction& transaction) -> Result<void> {
    const Result<void> added = add_one(transaction, 1);
    EXPECT_TRUE(added.has_value()) << added.error().text();
    EXPECT_FALSE(transaction.exec_blocking("SELECT 1 / 0").has_value());
    return {};
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().sqlstate(), "22012") << done.error().text();
  EXPECT_EQ(value(1), 0);
}

// The connection knows that the transaction has failed; nobody here knows why.
TEST_F(TransactionTest, AFailureBehindOurBackIsNoSuccess) {
  const Result<void> done = run("hidden", [](Transaction& transaction) -> Result<void> {
    EXPECT_FALSE(transaction.connection().exec_blocking("SELECT 1 / 0", 30s).has_value());
    return {};
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().sqlstate(), "25P02") << done.error().text();
}

TEST_F(TransactionTest, AConflictBehindARefusedStatementIsRetried) {
  const Result<void> done = run("conflict", [](Transaction& transaction) -> Result<void> {
    if (transaction.attempt() > 1) return add_one(transaction, 1);
    const Result<QueryResult> conflict = transaction.exec_blocking(kRaiseConflict);
    EXPECT_FALSE(conflict.has_value());
    const Result<void> refused = add_one(transaction, 1);
    EXPECT_EQ(refused.error().sqlstate(), "25P02");
    return refused;
  });

  ASSERT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(value(1), 1);
  EXPECT_EQ(counted("conflict").conflicts, 1u);
}

TEST_F(TransactionTest, ABodyThatEndsItsTransactionIsToldSo) {
  const Result<void> done = run("end", [](Transaction& transaction) -> Result<void> {
    const Result<QueryResult> ended = transaction.exec_blocking("COMMIT");
    EXPECT_TRUE(ended.has_value());
    return {};
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::invalid);
  EXPECT_NE(done.error().text().find("ended the transaction by itself"), std::string::npos);
}

// What it committed by itself must not be committed again.
TEST_F(TransactionTest, ABodyThatEndsItsTransactionIsNotRunAgain) {
  for (const bool has_begun_another : {false, true}) {
    const std::string operation = has_begun_another ? "another" : "ended";
    const Result<void> done = run(operation, [&](Transaction& transaction) -> Result<void> {
      EXPECT_TRUE(add_one(transaction, has_begun_another ? 2 : 1).has_value());
      EXPECT_TRUE(transaction.exec_blocking("COMMIT").has_value());
      const std::string next = has_begun_another ? "BEGIN" : "SELECT 1";
      EXPECT_TRUE(transaction.exec_blocking(next).has_value());
      return failure(transaction.exec_blocking(kRaiseConflict).error());
    });

    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().code(), Errc::invalid);
    EXPECT_NE(done.error().text().find("ended the transaction by itself"), std::string::npos);
    EXPECT_NE(done.error().text().find("statement_failed: no"), std::string::npos)
        << done.error().text();
    EXPECT_EQ(counted(operation).attempts, 1u);
  }
  EXPECT_EQ(value(1), 1);
  EXPECT_EQ(value(2), 1);
}

// A conflict that a savepoint has undone is not why the transaction failed in the end.
TEST_F(TransactionTest, WhatASavepointHasUndoneIsNotTheCause) {
  const Result<void> done = run("savepoint", [](Transaction& transaction) -> Result<void> {
    EXPECT_TRUE(transaction.exec_blocking("SAVEPOINT here").has_value());
    EXPECT_FALSE(transaction.exec_blocking(kRaiseConflict).has_value());
    EXPECT_TRUE(transaction.exec_blocking("ROLLBACK TO SAVEPOINT here").has_value());
    EXPECT_FALSE(transaction.first_error().has_value());
    EXPECT_FALSE(transaction.exec_blocking("SELECT 1 / 0").has_value());
    return failure(transaction.exec_blocking("SELECT 1").error());
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().sqlstate(), "22012") << done.error().text();
  EXPECT_EQ(counted("savepoint").attempts, 1u);
}

TEST_F(TransactionTest, ACopyIsPartOfIt) {
  const postgres::CopySource words = [](std::string& chunk) {
    chunk += "not a number\t0\n";
    return Result<bool>(false);
  };
  const postgres::CopySource counters = [](std::string& chunk) {
    chunk += "7\t70\n";
    return Result<bool>(false);
  };
  const auto copying = [](const postgres::CopySource& source) {
    return [&source](Transaction& transaction) -> Result<void> {
      const auto rows = transaction.copy_in_blocking("COPY counter FROM STDIN", source);
      if (rows) return {};
      return failure(transaction.exec_blocking("SELECT 1").error());  // 25P02
    };
  };

  const Result<void> refused = run("refused", copying(words));
  const Result<void> copied = run("copied", copying(counters));

  EXPECT_EQ(refused.error().sqlstate(), "22P02") << refused.error().text();
  EXPECT_TRUE(copied.has_value());
  EXPECT_EQ(value(7), 70);
}

Task<Result<std::uint64_t>> copy_by_task(Transaction& transaction) {
  auto source = [row = std::string("8\t80\n")](std::string& chunk) {
    chunk += row;
    return Result<bool>(false);
  };
  const auto in = co_await transaction.copy_in("COPY counter FROM STDIN", source);
  if (!in) co_return failure(in.error());
  auto sink = [](std::string_view) { return Result<void>(); };
  co_return co_await transaction.copy_out("COPY counter TO STDOUT", sink);
}

TEST_F(TransactionTest, TasksCopyToo) {
  const Result<std::uint64_t> rows =
      run_blocking(runtime.scheduler(), run_transaction(*pool, options("copy task"), copy_by_task));

  ASSERT_TRUE(rows.has_value()) << rows.error().text();
  EXPECT_EQ(*rows, 4u);
  EXPECT_EQ(value(8), 80);
}

TEST_F(TransactionTest, ASessionWithAnUnfinishedCopyIsDiscarded) {
  const Result<void> done = run("unfinished", [](Transaction& transaction) -> Result<void> {
    EXPECT_TRUE(transaction.exec_blocking("COPY counter FROM STDIN").has_value());
    return {};
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::invalid) << done.error().text();
  EXPECT_EQ(pool->statistics().counters.discarded(DiscardReason::discarded), 1u);
}

// The server has ended the session before it could read COMMIT.
TEST_F(TransactionTest, ASessionEndedForIdlenessHasNoUnknownOutcome) {
  const Result<void> done = run("idle", [this](Transaction& transaction) -> Result<void> {
    EXPECT_TRUE(add_one(transaction, 1).has_value());
    const Result<int> process = transaction.query_one_blocking<int>("SELECT pg_backend_pid()");
    EXPECT_TRUE(process.has_value()) << process.error().text();
    // Long enough that the answer to this is read before the last words come: libpq takes words
    // that come while nothing is asked for a notice.
    EXPECT_TRUE(transaction.exec_blocking("SET LOCAL idle_in_transaction_session_timeout = 300")
                    .has_value());
    const std::string alive =
        "SELECT count(*) FROM pg_stat_activity WHERE pid = " + std::to_string(*process);
    const Instant last = runtime.scheduler().now() + 60s;
    while (number(ask(alive)) != 0 && runtime.scheduler().now() < last) {
    }
    return {};
  });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().sqlstate(), "25P03") << done.error().text();
  EXPECT_NE(done.error().code(), Errc::unknown_outcome);
  EXPECT_EQ(value(1), 0);
}

TEST_F(TransactionTest, AConflictAtCommitIsRetried) {
  ASSERT_TRUE(ask("CREATE SEQUENCE tries; GRANT ALL ON tries TO app").has_value());
  ASSERT_TRUE(ask("CREATE FUNCTION refuse_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF "
                  "nextval('tries') <= 2 THEN RAISE EXCEPTION 'change conflicts with another "
                  "transaction (OC000)' USING ERRCODE = '40001'; END IF; RETURN NULL; END $$")
                  .has_value());
  ASSERT_TRUE(ask("CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON counter DEFERRABLE INITIALLY "
                  "DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_twice()")
                  .has_value());

  const Result<void> done =
      run("commit conflict", [](Transaction& transaction) { return add_one(transaction, 1); });

  ASSERT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(value(1), 1);
  EXPECT_EQ(counted("commit conflict").attempts, 3u);
}

TEST_F(TransactionTest, WhatIsNotWorthItIsNotRetried) {
  const auto raising = [](const std::string& sqlstate) {
    return [sqlstate](Transaction& transaction) -> Result<void> {
      const Result<QueryResult> refused = transaction.exec_blocking(
          "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '" + sqlstate + "'; END $$");
      return failure(refused.error());
    };
  };
  for (const std::string sqlstate : {"0A000", "53300", "54000", "23505", "57014"}) {
    const Result<void> done = run(sqlstate, raising(sqlstate));

    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().sqlstate(), sqlstate);
    EXPECT_EQ(counted(sqlstate).attempts, 1u) << sqlstate;
  }
}

TEST_F(TransactionTest, AConnectionLostBeforeCommitIsRunAgain) {
  const Result<void> done = run("lost", [this](Transaction& transaction) -> Result<void> {
    const Result<int> process = transaction.query_one_blocking<int>("SELECT pg_backend_pid()");
    EXPECT_TRUE(process.has_value()) << process.error().text();
    if (transaction.attempt() == 1) {
      EXPECT_TRUE(ask("SELECT pg_terminate_backend(" + std::to_string(*process) + ")").has_value());
    }
    return add_one(transaction, 1);
  });

  ASSERT_TRUE(done.has_value()) << done.error().text();
  EXPECT_EQ(value(1), 1);
  EXPECT_GE(counted("lost").errors_of(ErrorClass::connection_lost), 1u);
}

TEST_F(TransactionTest, TheTimeoutIsThatOfTheWhole) {
  TransactionOptions settings = options("slow");
  settings.timeout = 1s;

  const Result<void> done =
      run_transaction_blocking(*pool, settings, [](Transaction& transaction) -> Result<void> {
        const Result<QueryResult> slept = transaction.exec_blocking("SELECT pg_sleep(5)");
        return failure(slept.error());
      });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::timed_out) << done.error().text();
  EXPECT_EQ(counted("slow").errors_of(ErrorClass::transaction_timeout), 1u);
}

TEST_F(TransactionTest, OptionsThatCannotWorkAreRefused) {
  TransactionOptions settings = options("wrong");
  settings.policy.max_retries = -1;
  settings.timeout = Duration::zero();

  const Result<void> done =
      run_transaction_blocking(*pool, settings, [](Transaction&) -> Result<void> { return {}; });

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::invalid);
  EXPECT_EQ(counted("wrong").attempts, 0u);
}

Task<Result<int>> fail_by_task(Transaction& transaction, bool is_thrown) {
  const Result<QueryResult> added =
      co_await transaction.exec("UPDATE counter SET value = value + 1");
  EXPECT_TRUE(added.has_value());
  if (is_thrown) throw std::runtime_error("no");
  co_return failure(Errc::not_found, "the order is gone");
}

Task<Result<int>> read_by_task(Transaction& transaction) {
  co_return co_await transaction.query_one<int>("SELECT sum(value)::int FROM counter");
}

Task<Errc> code_of(PostgresPool& pool, TransactionOptions options, bool is_thrown) {
  auto body = [is_thrown](Transaction& transaction) {
    return fail_by_task(transaction, is_thrown);
  };
  const Result<int> done = co_await run_transaction(pool, options, body);
  co_return done ? Errc::closed : done.error().code();
}

TEST_F(TransactionTest, TasksRollBackToo) {
  Scheduler& scheduler = runtime.scheduler();
  TransactionOptions settings = options("task");

  EXPECT_EQ(run_blocking(scheduler, code_of(*pool, settings, false)), Errc::not_found);
  EXPECT_EQ(run_blocking(scheduler, code_of(*pool, settings, true)), Errc::invalid);
  settings.is_read_only = true;
  const Result<int> sum = run_blocking(scheduler, run_transaction(*pool, settings, read_by_task));

  ASSERT_TRUE(sum.has_value()) << sum.error().text();
  EXPECT_EQ(*sum, 0);
  EXPECT_EQ(open_transactions(), 0);
  EXPECT_EQ(counted("task").attempts, 3u);
}

}  // namespace
}  // namespace forebay::test
