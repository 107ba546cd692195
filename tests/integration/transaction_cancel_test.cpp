// Transactions of tasks that are cancelled: at once, rolled back, and the session is used again.
#include "integration/transaction_fixture.hpp"
#include "support/cancel_later.hpp"

namespace forebay::test {
namespace {

Task<Result<int>> add_and_sleep(Transaction& transaction) {
  const Result<void> added = co_await transaction.exec_exactly(
      1, "UPDATE counter SET value = value + 1 WHERE id = 1", Parameters());
  if (!added) co_return failure(added.error());
  const auto slept = co_await transaction.query<std::string>("SELECT pg_sleep(1000)");
  if (!slept) co_return failure(slept.error());
  co_return 1;
}

Task<Result<int>> fail_with_conflict(Transaction& transaction) {
  const auto failed =
      co_await transaction.exec("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$");
  co_return failure(failed.error());
}

using Body = Task<Result<int>> (*)(Transaction&);

Task<Result<int>> run_for(PostgresPool& pool, TransactionOptions options, Body body,
                          Duration time) {
  Scheduler& scheduler = pool.env().scheduler;
  Cancellation gone(scheduler);
  TaskGroup group(scheduler);
  group.spawn(cancel_later(scheduler, time, gone));
  options.cancellation = &gone;
  Result<int> result = co_await run_transaction(pool, options, body);
  co_await group.join();
  co_return result;
}

class TransactionCancelTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    add_counters(1);
    pool = open_pool(of_size(1));
  }
  Result<int> run(const TransactionOptions& with, Body body, Duration time) {
    return run_blocking(runtime.scheduler(), run_for(*pool, with, body, time));
  }

  std::unique_ptr<PostgresPool> pool;
};

TEST_F(TransactionCancelTest, AStatementUnderWayIsCancelledAndTheTransactionRolledBack) {
  const Result<int> done = run(options("cancelled"), &add_and_sleep, 100ms);

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::cancelled) << done.error().text();
  EXPECT_EQ(counted("cancelled").attempts, 1u);
  const Result<PooledSession> next = pool->acquire_blocking(20s);
  ASSERT_TRUE(next.has_value()) << next.error().text();
  EXPECT_EQ(counter(1), 0);
}

TEST_F(TransactionCancelTest, InLineForASessionItLeavesTheLine) {
  const Result<PooledSession> held = pool->acquire_blocking(20s);

  const Result<int> done = run(options("in line"), &add_and_sleep, 50ms);

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::cancelled) << done.error().text();
  EXPECT_EQ(pool->statistics().waiters, 0);
}

TEST_F(TransactionCancelTest, APauseBetweenAttemptsEndsEarly) {
  TransactionOptions patient = options("pausing");
  patient.policy.backoff = BackoffRule{60s, 60s, 0};

  const Result<int> done = run(patient, &fail_with_conflict, 200ms);

  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code(), Errc::cancelled) << done.error().text();
}

}  // namespace
}  // namespace forebay::test
