// Tasks of four loops on one pool of sessions of a real PostgreSQL. Run under ThreadSanitizer too.
#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "forebay/env/loop_group.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/task_group.hpp"
#include "pool_fixture.hpp"

namespace forebay::test {
namespace {

constexpr int kLoops = 4;
constexpr int kTasksEach = 64;
constexpr int kConnections = 16;

RuntimeOptions four_loops() {
  RuntimeOptions options;
  options.loops = kLoops;
  return options;
}

class LoopsTest : public PoolFixture {
 protected:
  LoopsTest() { launch(PostgresServerOptions()); }
  ~LoopsTest() override { pool_.reset(); }

  void open(int connections) {
    PoolOptions options;
    options.size.max = connections;
    options.supply = Supply::reservoir;
    auto opened = PostgresPool::open(loops_, server->url("app", "postgres"), std::move(options));
    ASSERT_TRUE(opened.has_value()) << opened.error().text();
    pool_ = std::move(*opened);
  }

  Runtime loops_{four_loops()};
  std::unique_ptr<PostgresPool> pool_;
};

// Callers join the line of a pool under a lock of the test, so that their order in it is known.
class Line {
 public:
  class Wait {
   public:
    Wait(Line& line, Acquire& acquire) : line_(line), acquire_(acquire) {}
    bool await_ready() { return acquire_.await_ready(); }
    bool await_suspend(std::coroutine_handle<> task) {
      const std::lock_guard lock(line_.mutex_);
      place = ++line_.last_;
      return acquire_.await_suspend(task);
    }
    Result<PooledConnection> await_resume() { return acquire_.await_resume(); }

    std::uint64_t place = 0;  // 0: it was served at once

   private:
    Line& line_;
    Acquire& acquire_;
  };

  void note(std::uint64_t place, Instant granted) {
    const std::lock_guard lock(mutex_);
    grants_.emplace_back(place, granted);
  }
  // Of those who waited, how many were given theirs before somebody who stood in front of them.
  int out_of_order() {
    std::ranges::sort(grants_);
    int count = 0;
    Instant last = Instant::min();
    for (const auto& [place, granted] : grants_) {
      if (granted < last) ++count;
      last = std::max(last, granted);
    }
    return count;
  }
  std::size_t waits() const { return grants_.size(); }

 private:
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::vector<std::pair<std::uint64_t, Instant>> grants_;
};

// What one task saw; nobody else writes to it while it runs.
struct Caller {
  int served = 0;
  int failures = 0;
  bool has_strayed = false;  // it was resumed on another loop than its own
};

Task<void> keep_asking(PostgresPool& pool, Line& line, Scheduler& own, Instant end,
                       Caller& caller) {
  while (own.now() < end) {
    Acquire acquire = pool.pool().acquire(own.now() + 30s);
    Line::Wait wait(line, acquire);
    Result<PooledConnection> got = co_await wait;
    caller.has_strayed = caller.has_strayed || Scheduler::current() != &own;
    if (!got) {
      ++caller.failures;
      continue;
    }
    if (wait.place != 0) line.note(wait.place, got->taken_at());
    PooledSession session(std::move(*got));
    const Result<QueryResult> answer = co_await session->exec("SELECT 1", own.now() + 30s);
    caller.has_strayed = caller.has_strayed || Scheduler::current() != &own;
    ++(answer ? caller.served : caller.failures);
  }
}

Task<void> run_loop(PostgresPool& pool, Line& line, Scheduler& own, Instant end,
                    std::vector<Caller>& callers) {
  TaskGroup group(own);
  for (Caller& caller : callers) group.spawn(keep_asking(pool, line, own, end, caller));
  co_await group.join();
}

TEST_F(LoopsTest, TasksOfFourLoopsAreServedAlikeAndInOrder) {
  open(kConnections);
  std::vector<std::vector<Caller>> callers(kLoops, std::vector<Caller>(kTasksEach));
  Line line;
  const Instant end = loops_.scheduler().now() + load_time(30s);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kLoops; ++i) {
      threads.emplace_back([&, i] {
        Scheduler& own = loops_.loop(i).env.scheduler;
        run_blocking(own, run_loop(*pool_, line, own, end, callers[static_cast<std::size_t>(i)]));
      });
    }
  }

  int least = callers[0][0].served;
  int most = 0;
  int all = 0;
  for (const std::vector<Caller>& loop : callers) {
    for (const Caller& caller : loop) {
      least = std::min(least, caller.served);
      most = std::max(most, caller.served);
      all += caller.served;
      EXPECT_EQ(caller.failures, 0);
      EXPECT_FALSE(caller.has_strayed);
    }
  }
  RecordProperty("served", all);
  std::printf("served %d: a task %d to %d; waited %zu\n", all, least, most, line.waits());
  EXPECT_GT(least, 0);
  EXPECT_LE(most, least * 1.3);
  EXPECT_EQ(line.out_of_order(), 0);
  EXPECT_GT(line.waits(), 100u);
  pool_->pool().audit();
  EXPECT_EQ(pool_->statistics().counters.timeouts, 0u);
}

// What a caller gets on a thread that runs a loop, when it would have to block.
Task<std::vector<Error>> block_on(PostgresPool& pool, Scheduler& own) {
  std::vector<Error> errors;
  Result<PooledSession> held = co_await pool.acquire(own.now() + 30s);
  EXPECT_TRUE(held.has_value());
  const Result<PooledSession> second = pool.acquire_blocking(1s);
  if (!second) errors.push_back(second.error());
  const Result<QueryResult> answer = (*held)->exec_blocking("SELECT 1", 1s);
  if (!answer) errors.push_back(answer.error());
  const auto never = [](postgres::Transaction&) -> Result<int> { return 1; };
  const Result<int> transaction =
      postgres::run_transaction_blocking(pool, postgres::TransactionOptions(), never);
  if (!transaction) errors.push_back(transaction.error());
  co_return errors;
}

TEST_F(LoopsTest, BlockingCallsAreRefusedOnEveryLoop) {
  open(1);
  for (int i = 0; i < kLoops; ++i) {
    Scheduler& own = loops_.loop(i).env.scheduler;

    const std::vector<Error> errors = run_blocking(own, block_on(*pool_, own));

    ASSERT_EQ(errors.size(), 3u) << "loop " << i;
    for (const Error& error : errors) {
      EXPECT_EQ(error.code(), Errc::invalid);
      EXPECT_TRUE(error.text().contains("on the runtime's own thread")) << error.text();
    }
  }
}

Task<Result<int>> conflict_twice(postgres::Transaction& transaction, int& attempts) {
  if (++attempts < 3) {
    const Result<QueryResult> failed = co_await transaction.exec(
        "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$");
    co_return failure(failed.error());
  }
  co_return co_await transaction.query_one<int>("SELECT 42");
}

Task<Result<int>> retry_on(PostgresPool& pool, Scheduler& own, int& attempts) {
  auto body = [&attempts](postgres::Transaction& transaction) {
    return conflict_twice(transaction, attempts);
  };
  Result<int> answer =
      co_await postgres::run_transaction(pool, postgres::TransactionOptions(), body);
  EXPECT_EQ(Scheduler::current(), &own);
  co_return answer;
}

TEST_F(LoopsTest, TransactionsAreRetriedOnTheLoopOfTheirTask) {
  open(2);
  for (int i = 0; i < kLoops; ++i) {
    Scheduler& own = loops_.loop(i).env.scheduler;
    int attempts = 0;

    const Result<int> answer = run_blocking(own, retry_on(*pool_, own, attempts));

    ASSERT_TRUE(answer.has_value()) << answer.error().text();
    EXPECT_EQ(*answer, 42);
    EXPECT_EQ(attempts, 3);
  }
}

Task<Result<QueryResult>> ask_once(PostgresPool& pool, Scheduler& own, std::string sql,
                                   Duration timeout) {
  Result<PooledSession> session = co_await pool.acquire(own.now() + 30s);
  if (!session) co_return failure(session.error());
  co_return co_await (*session)->exec(std::move(sql), own.now() + timeout);
}

// One session, used in turn by threads and by tasks of all loops, with statements that have to be
// cancelled in between.
TEST_F(LoopsTest, ASessionGoesFromLoopToLoopAndToThreadsAndBack) {
  open(1);
  for (int round = 0; round < 24; ++round) {
    Scheduler& own = loops_.loop(round % kLoops).env.scheduler;
    const Result<QueryResult> answer = run_blocking(own, ask_once(*pool_, own, "SELECT 7", 30s));
    EXPECT_EQ(number(answer), 7);
    if (round % 3 == 1) {
      Result<PooledSession> session = pool_->acquire_blocking(30s);
      ASSERT_TRUE(session.has_value()) << session.error().text();
      EXPECT_EQ(number((*session)->exec_blocking("SELECT 8", 30s)), 8);
    }
    if (round % 6 == 2) {
      const Result<QueryResult> late =
          run_blocking(own, ask_once(*pool_, own, "SELECT pg_sleep(60)", 50ms));
      ASSERT_FALSE(late.has_value());
      EXPECT_EQ(late.error().code(), Errc::timed_out);
    }
  }
  EXPECT_EQ(pool_->statistics().counters.opened, 1u);
  EXPECT_EQ(pool_->statistics().counters.discarded(DiscardReason::broken), 0u);
}

}  // namespace
}  // namespace forebay::test
