// What an observer is told: every acquire, statement and attempt, before and after, in the name of
// the caller's trace context, from threads, tasks and Boost.Asio.
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "forebay/asio.hpp"
#include "integration/transaction_fixture.hpp"

namespace forebay::test {
namespace {

// Notes each call as "context step subject result", when it ends.
class NotingObserver final : public Observer {
 public:
  void on_begin(const ObservedCall& call) noexcept override {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(open_.emplace(call.id, call.step).second) << "two calls with one id";
    EXPECT_EQ(call.pool, pool);
  }
  void on_end(const ObservedCall& call, Duration time, const Error* error) noexcept override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(open_.at(call.id), call.step);
    open_.erase(call.id);
    EXPECT_GE(time, Duration::zero());
    longest_ = std::max(longest_, time);
    std::string note(call.trace_context);
    note.append(note.empty() ? "" : " ").append(name(call.step));
    if (call.attempt > 0) note.append(" ").append(std::to_string(call.attempt));
    if (!call.subject.empty()) note.append(" ").append(call.subject);
    if (error != nullptr) note.append(": ").append(name(error->code()));
    notes_.push_back(std::move(note));
  }

  // All of them so far; none is under way.
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(open_.empty());
    return std::exchange(notes_, {});
  }
  Duration longest() const { return longest_; }

  std::string pool = "watched";  // what is expected

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, ObservedStep> open_;
  std::vector<std::string> notes_;
  Duration longest_{};
};

using Notes = std::vector<std::string>;

class ObserverTest : public TransactionFixture {
 protected:
  void SetUp() override {
    TransactionFixture::SetUp();
    add_counters(1);
    PoolOptions options = of_size(1);
    options.name = "watched";
    options.observer = &observer;
    pool = open_pool(options);
    EXPECT_EQ(observer.take(), Notes()) << "opening a pool is no call of its user";
  }
  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime.scheduler(), std::move(task));
  }

  NotingObserver observer;  // outlives the pool
  std::unique_ptr<PostgresPool> pool;
};

TEST_F(ObserverTest, AThreadsCallsAreToldInTheNameOfItsScope) {
  EXPECT_TRUE(pool->exec_blocking("SELECT 1").has_value());
  EXPECT_EQ(observer.take(), (Notes{"acquire", "statement SELECT 1"}));
  {
    const TraceScope outer("outer");
    EXPECT_TRUE(pool->exec_blocking("SELECT 2").has_value());
    {
      const TraceScope inner("inner");
      const Result<PooledSession> session = pool->acquire_blocking(20s);
      EXPECT_FALSE((*session)->exec_blocking("SELEKT", 20s).has_value());
    }
    EXPECT_TRUE(pool->exec_blocking("SELECT 3").has_value());
  }
  EXPECT_EQ(observer.take(), (Notes{"outer acquire", "outer statement SELECT 2", "inner acquire",
                                    "inner statement SELEKT: statement_failed", "outer acquire",
                                    "outer statement SELECT 3"}));
  EXPECT_EQ(TraceScope::current(), "");
}

TEST_F(ObserverTest, ATasksCallsAreToldInTheNameOfItsUntil) {
  const Until until = Until(kNever).traced("task");
  EXPECT_TRUE(run(pool->within(until).exec("SELECT 1")).has_value());
  EXPECT_TRUE(run(pool->exec("SELECT 2")).has_value());
  EXPECT_EQ(observer.take(),
            (Notes{"task acquire", "task statement SELECT 1", "acquire", "statement SELECT 2"}));
}

TEST_F(ObserverTest, FailedWaitsAreToldWithTheirErrorAndTheirTime) {
  EXPECT_FALSE(pool->within(50ms).exec_blocking("SELECT pg_sleep(9)").has_value());
  EXPECT_EQ(observer.take(), (Notes{"acquire", "statement SELECT pg_sleep(9): timed_out"}));
  EXPECT_GE(observer.longest(), 40ms);  // its 50 began with the acquire
  const Result<PooledSession> held = pool->acquire_blocking(20s);
  observer.take();
  EXPECT_FALSE(pool->within(20ms).exec_blocking("SELECT 1").has_value());
  EXPECT_EQ(observer.take(), (Notes{"acquire: timed_out"}));
}

constexpr const char* kConflict =
    "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$";

Task<Result<void>> succeed_at_second(Transaction& transaction) {
  if (transaction.attempt() > 1) co_return Result<void>();
  const auto failed = co_await transaction.exec(kConflict);
  co_return failure(failed.error());
}
Result<void> succeed_at_second_blocking(Transaction& transaction) {
  if (transaction.attempt() > 1) return {};
  return failure(transaction.exec_blocking(kConflict).error());
}

TEST_F(ObserverTest, RetriesAreAttemptsOfOneTrace) {
  TransactionOptions traced = options("move");
  traced.trace_context = "trace";
  const std::string conflict = std::string("trace statement ") + kConflict + ": statement_failed";
  // BEGIN travels with the first statement, and a transaction without one needs none.
  const Notes both_attempts{"trace acquire",
                            conflict,
                            "trace statement ROLLBACK",
                            "trace attempt 1 move: statement_failed",
                            "trace acquire",
                            "trace attempt 2 move"};
  EXPECT_TRUE(run(pool->transaction(traced, succeed_at_second)).has_value());
  EXPECT_EQ(observer.take(), both_attempts);
  EXPECT_TRUE(pool->transaction_blocking(traced, succeed_at_second_blocking).has_value());
  EXPECT_EQ(observer.take(), both_attempts);
  traced.trace_context.clear();
  const TraceScope scope("trace");
  EXPECT_TRUE(pool->transaction_blocking(traced, succeed_at_second_blocking).has_value());
  EXPECT_EQ(observer.take(), both_attempts);
}

TEST_F(ObserverTest, AsiosOperationsAreToldInTheNameOfTheScopeTheyAreMadeIn) {
  boost::asio::io_context context;
  std::future<Result<QueryResult>> answer;
  {
    const std::string request = "request";
    const TraceScope scope(request);
    answer = async_exec(*pool, "SELECT 1", Parameters(), context.get_executor(),
                        boost::asio::use_future);
  }
  context.run();
  EXPECT_TRUE(answer.get().has_value());
  EXPECT_EQ(observer.take(), (Notes{"request acquire", "request statement SELECT 1"}));
}

TEST_F(ObserverTest, TenantsAreNamedWhereTheyWait) {
  ASSERT_TRUE(ask("CREATE DATABASE acme").has_value());
  observer.pool = "tenants";
  TenantOptions tenancy;
  tenancy.database_of = [](std::string_view id) { return Result<std::string>(std::string(id)); };
  tenancy.pool.observer = &observer;
  auto tenants = postgres::PostgresTenants::open(runtime, server->url("app", "postgres"), tenancy);
  ASSERT_TRUE(tenants.has_value()) << tenants.error();
  postgres::TenantSessions acme(**tenants, "acme");

  EXPECT_TRUE(acme.exec_blocking("SELECT 1").has_value());
  EXPECT_TRUE(run(acme.exec("SELECT 2")).has_value());

  EXPECT_EQ(observer.take(),
            (Notes{"acquire acme", "statement SELECT 1", "acquire acme", "statement SELECT 2"}));
}

TEST_F(ObserverTest, ABatchIsToldByItsFirstStatement) {
  Result<PooledSession> session = pool->acquire_blocking(20s);
  postgres::Batch batch;
  batch.add("SELECT 1");
  batch.add("SELECT 1 / 0");
  observer.take();
  EXPECT_FALSE((*session)->exec_batch_blocking(batch, 20s).has_value());
  EXPECT_FALSE(run((*session)->exec_batch(batch, kNever)).has_value());
  const std::string told = "statement SELECT 1: statement_failed";
  EXPECT_EQ(observer.take(), (Notes{told, told}));
}

TEST_F(ObserverTest, CopyIsAStatement) {
  const TraceScope scope("copy");
  const Result<PooledSession> session = pool->acquire_blocking(20s);
  const auto sink = [](std::string_view) { return Result<void>(); };
  EXPECT_EQ((*session)->copy_out_blocking("COPY counter TO STDOUT", sink, 20s).value(), 1u);
  EXPECT_EQ(observer.take(), (Notes{"copy acquire", "copy statement COPY counter TO STDOUT"}));
}

}  // namespace
}  // namespace forebay::test
