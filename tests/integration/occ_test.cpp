// Optimistic concurrency: many who change few rows lose conflicts and try again, and not one change
// is lost or made twice.
#include "forebay/env/task_group.hpp"
#include "integration/transaction_fixture.hpp"

namespace forebay::test {
namespace {

constexpr int kCounters = 4;
constexpr int kWorkers = 16;
constexpr int kIncrements = kIsSanitized ? 2'000 : 10'000;

class OccTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    add_counters(kCounters);
    pool = open_pool(of_size(kWorkers));
  }
  TransactionOptions increment_options() {
    TransactionOptions increment = options("increment");
    increment.isolation = Isolation::repeatable_read;
    return increment;
  }
  void expect_exact(int increments) {
    EXPECT_EQ(number(ask("SELECT sum(value) FROM counter")), increments);
    const OperationSnapshot increment = counted("increment");
    EXPECT_EQ(increment.succeeded, static_cast<std::uint64_t>(increments));
    EXPECT_EQ(increment.failed, 0u);
    EXPECT_GT(increment.conflicts, 0u);
    EXPECT_EQ(increment.retries, increment.conflicts);
    EXPECT_EQ(increment.attempts, increment.succeeded + increment.conflicts);
    RecordProperty("conflicts", std::to_string(increment.conflicts));
  }

  std::unique_ptr<PostgresPool> pool;
};

// Reads, then writes what it has computed: only the server's check keeps it right.
Result<void> increment(Transaction& transaction, int id) {
  const Result<int> seen = transaction.query_one_blocking<int>(
      "SELECT value FROM counter WHERE id = $1", parameters(id));
  if (!seen) return failure(seen.error());
  return transaction.exec_exactly_blocking(1, "UPDATE counter SET value = $2 WHERE id = $1",
                                           parameters(id, *seen + 1));
}

// Nobody has this token.
Result<void> swap_in_vain(Transaction& transaction, int id) {
  return postgres::compare_and_swap_blocking(
      transaction, "UPDATE counter SET value = 0 WHERE id = $1 AND value = -1", parameters(id),
      postgres::Fence("counter", "counter " + std::to_string(id), "-1"));
}

TEST_F(OccTest, ThreadsLoseConflictsAndNoIncrement) {
  std::atomic<int> next = 0;
  std::atomic<int> swaps = 0;
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < kWorkers; ++worker) {
      workers.emplace_back([&] {
        for (int i = next++; i < kIncrements; i = next++) {
          const int id = 1 + i % kCounters;
          const Result<void> done = run_transaction_blocking(
              *pool, increment_options(),
              [id](Transaction& transaction) { return increment(transaction, id); });
          EXPECT_TRUE(done.has_value()) << done.error().text();
          if (i % 20 != 0) continue;
          const Result<void> swapped = run_transaction_blocking(
              *pool, options("swap"),
              [id](Transaction& transaction) { return swap_in_vain(transaction, id); });
          ASSERT_FALSE(swapped.has_value());
          EXPECT_EQ(swapped.error().code(), Errc::condition_failed) << swapped.error().text();
          ++swaps;
        }
      });
    }
  }

  expect_exact(kIncrements);
  const OperationSnapshot swap = counted("swap");
  EXPECT_EQ(swap.attempts, static_cast<std::uint64_t>(swaps));
  EXPECT_EQ(swap.retries, 0u);
  EXPECT_EQ(swap.errors_of(ErrorClass::condition_failed), swap.attempts);
}

Task<Result<void>> increment_as_task(Transaction& transaction, int id) {
  const Result<int> seen = co_await transaction.query_one<int>(
      "SELECT value FROM counter WHERE id = $1", parameters(id));
  if (!seen) co_return failure(seen.error());
  co_return co_await transaction.exec_exactly(1, "UPDATE counter SET value = $2 WHERE id = $1",
                                              parameters(id, *seen + 1));
}

Task<void> work_as_task(PostgresPool& pool, const TransactionOptions& options, int increments) {
  for (int i = 0; i < increments; ++i) {
    const int id = 1 + i % kCounters;
    auto body = [id](Transaction& transaction) { return increment_as_task(transaction, id); };
    const Result<void> done = co_await run_transaction(pool, options, body);
    EXPECT_TRUE(done.has_value()) << done.error().text();
  }
}

Task<void> run_workers(Runtime& runtime, PostgresPool& pool, const TransactionOptions& options,
                       int increments) {
  TaskGroup workers(runtime.scheduler());
  for (int worker = 0; worker < kWorkers; ++worker) {
    workers.spawn(work_as_task(pool, options, increments));
  }
  co_await workers.join();
}

TEST_F(OccTest, TasksLoseConflictsAndNoIncrement) {
  constexpr int kEach = kIncrements / 5 / kWorkers;
  const TransactionOptions increment = increment_options();

  run_blocking(runtime.scheduler(), run_workers(runtime, *pool, increment, kEach));

  expect_exact(kEach * kWorkers);
}

}  // namespace
}  // namespace forebay::test
