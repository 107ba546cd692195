// Statements of threads that have to stand in line: a loop runs them when their turn comes.
// Whatever they are promised holds there too. Run under ThreadSanitizer.
#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <source_location>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "forebay/env/random.hpp"
#include "integration/transaction_fixture.hpp"

namespace forebay::test {
namespace {

long switches_of_this_thread() {
  rusage use{};
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nvcsw;
}

// Notes which steps were told, in the name of what, and how they ended.
class NotingObserver final : public Observer {
 public:
  void on_end(const ObservedCall& call, Duration, const Error* error) noexcept override {
    std::string note = std::string(call.trace_context) + " " + std::string(name(call.step));
    if (error != nullptr) note.append(": ").append(name(error->code()));
    const std::lock_guard lock(mutex_);
    notes_.insert(std::move(note));
  }
  std::multiset<std::string> notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

 private:
  std::mutex mutex_;
  std::multiset<std::string> notes_;
};

// Of one connection, which the test holds, so that all who come stand in line. One server is enough
// for all tests.
class StatementErrandTest : public TransactionFixture {
 protected:
  static void TearDownTestSuite() { kept.reset(); }
  void SetUp() override {
    kept ? use(std::move(kept)) : launch({});
    open(of_size(1));
  }
  void TearDown() override {
    join();
    held.reset();
    pool.reset();
    admin_pool.reset();
    kept = std::move(server);
  }

  void open(PoolOptions options) {
    held.reset();
    pool = open_pool(std::move(options));
    hold();
  }
  void hold() {
    Result<PooledSession> session = pool->acquire_blocking(60s);
    ASSERT_TRUE(session.has_value()) << session.error();
    held.emplace(std::move(*session));
  }
  template <class Work>
  void come(Work work) {
    callers.emplace_back(std::move(work));
  }
  // A caller more, who stands in line when this returns.
  template <class Work>
  void queue(Work work) {
    const int before = pool->statistics().waiters;
    come(std::move(work));
    while (pool->statistics().waiters == before) std::this_thread::yield();
  }
  void let_go() {
    held.reset();
    join();
  }
  void join() {
    for (std::thread& caller : callers) caller.join();
    callers.clear();
  }
  void expect_idle() {
    EXPECT_EQ(pool->statistics().lent, 0);
    EXPECT_EQ(pool->statistics().waiters, 0);
    pool->pool().audit();
  }

  static inline std::unique_ptr<PostgresServer> kept;
  std::unique_ptr<PostgresPool> pool;
  std::optional<PooledSession> held;
  std::vector<std::thread> callers;
};

TEST_F(StatementErrandTest, EachGetsItsOwnAnswer) {
  std::vector<Result<std::string>> answers(4, failure(Errc::closed, "nobody has answered"));
  const postgres::PreparedStatement prepared("say", "SELECT 'prepared ' || $1");
  queue([&] { answers[0] = pool->query_one_blocking<std::string>("SELECT 'plain'"); });
  queue([&] { answers[1] = pool->query_one_blocking<std::string>("SELECT 'with ' || $1", "one"); });
  queue([&] { answers[2] = pool->query_one_blocking<std::string>(prepared, "text"); });
  queue([&] { answers[3] = pool->query_one_blocking<std::string>("SELEKT"); });

  let_go();

  EXPECT_EQ(answers[0].value(), "plain");
  EXPECT_EQ(answers[1].value(), "with one");
  EXPECT_EQ(answers[2].value(), "prepared text");
  EXPECT_EQ(answers[3].error().sqlstate(), "42601");
  expect_idle();
}

// Threads and tasks, with statements and with sessions, one after the other.
TEST_F(StatementErrandTest, AllAreServedInTheOrderInWhichTheyCame) {
  ASSERT_TRUE(ask("CREATE TABLE came (place serial, who int)").has_value());
  ASSERT_TRUE(ask("GRANT ALL ON came, came_place_seq TO app").has_value());
  const std::string sql = "INSERT INTO came (who) VALUES ($1)";
  constexpr int kCallers = 12;
  for (int who = 0; who < kCallers; ++who) {
    queue([this, who, sql] {
      if (who % 3 == 0) {
        EXPECT_TRUE(pool->exec_blocking(sql, who).has_value());
      } else if (who % 3 == 1) {
        EXPECT_TRUE(run_blocking(runtime.scheduler(), pool->exec(sql, who)).has_value());
      } else {
        const Result<PooledSession> session = pool->acquire_blocking(60s);
        EXPECT_TRUE((*session)->exec_blocking(sql, parameters(who)).has_value());
      }
    });
  }

  let_go();

  const auto came = pool->query_blocking<int>("SELECT who FROM came ORDER BY place");
  ASSERT_TRUE(came.has_value()) << came.error();
  std::vector<int> expected;
  for (int who = 0; who < kCallers; ++who) expected.push_back(who);
  EXPECT_EQ(*came, expected);
}

TEST_F(StatementErrandTest, OnesTimeEndsInLineAndOnTheServer) {
  const Result<QueryResult> waited = pool->within(50ms).exec_blocking("SELECT 1");
  EXPECT_EQ(waited.error().code(), Errc::timed_out) << waited.error();
  EXPECT_EQ(pool->statistics().waiters, 0);
  EXPECT_EQ(pool->statistics().counters.timeouts, 1u);

  std::optional<Error> slept;
  queue([&] { slept = pool->within(500ms).exec_blocking("SELECT pg_sleep(1000)").error(); });
  let_go();

  EXPECT_EQ(slept->code(), Errc::timed_out) << *slept;
  EXPECT_NE(slept->text().find("the server did not answer"), std::string::npos) << *slept;
  EXPECT_EQ(pool->query_one_blocking<int>("SELECT 1").value(), 1);
}

TEST_F(StatementErrandTest, APoolThatClosesSendsThemHome) {
  std::optional<Error> closed;
  queue([&] { closed = pool->exec_blocking("SELECT 1").error(); });

  EXPECT_FALSE(pool->close(Duration::zero()));
  join();

  EXPECT_EQ(closed->code(), Errc::closed);
  let_go();
}

TEST_F(StatementErrandTest, AConnectionThatIsLostIsTheErrorOfItsStatementOnly) {
  std::optional<Error> lost;
  Result<int> one = failure(Errc::closed, "nobody has answered");
  queue(
      [&] { lost = pool->exec_blocking("SELECT pg_terminate_backend(pg_backend_pid())").error(); });
  queue([&] { one = pool->query_one_blocking<int>("SELECT 1"); });

  let_go();

  EXPECT_EQ(lost->code(), Errc::connection_lost) << *lost;
  EXPECT_EQ(one.value(), 1);
}

TEST_F(StatementErrandTest, AnotherThreadStopsThemInLineAndOnTheServer) {
  std::stop_source in_line;
  std::stop_source on_server;
  std::vector<std::optional<Error>> errors(2);
  queue([&] {
    errors[0] = pool->within(60s, in_line.get_token()).exec_blocking("SELECT 1").error();
  });
  queue([&] {
    errors[1] =
        pool->within(60s, on_server.get_token()).exec_blocking("SELECT pg_sleep(1000)").error();
  });

  in_line.request_stop();
  held.reset();
  while (number(ask("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE "
                    "'%pg_sleep(1000)%' AND usename = 'app'")) == 0)
    std::this_thread::sleep_for(1ms);
  on_server.request_stop();
  join();

  for (const auto& error : errors) EXPECT_EQ(error->code(), Errc::cancelled) << *error;
}

TEST_F(StatementErrandTest, AnObserverIsToldInTheNameOfTheThreadsScope) {
  NotingObserver observer;
  PoolOptions options = of_size(1);
  options.observer = &observer;
  open(options);
  queue([&] {
    const TraceScope scope("first");
    EXPECT_TRUE(pool->exec_blocking("SELECT 1").has_value());
  });
  queue([&] {
    const TraceScope scope("second");
    EXPECT_FALSE(pool->exec_blocking("SELEKT").has_value());
  });
  {
    const TraceScope scope("third");
    EXPECT_FALSE(pool->within(20ms).exec_blocking("SELECT 1").has_value());
  }

  let_go();

  EXPECT_EQ(observer.notes(),
            (std::multiset<std::string>{" acquire", "first acquire", "first statement",
                                        "second acquire", "second statement: statement_failed",
                                        "third acquire: timed_out"}));
  pool.reset();  // before its observer
}

TEST_F(StatementErrandTest, ALeakReportNamesTheCallersPlace) {
  PoolOptions options = of_size(1);
  options.leak_after = 20ms;
  std::set<unsigned> lines;  // the loop's, until the pool is gone
  options.on_leak = [&](const LeakReport& leak) { lines.insert(leak.taken_from.line()); };
  open(options);
  unsigned line = 0;
  queue([&] {
    line = std::source_location::current().line() + 1;
    EXPECT_TRUE(pool->exec_blocking("SELECT pg_sleep(1.5)").has_value());
  });

  let_go();
  pool.reset();

  EXPECT_TRUE(lines.contains(line));
}

// One wake-up for the turn and another for the answer are what this is there to save.
TEST_F(StatementErrandTest, AThreadInLineIsWokenOnce) {
  constexpr int kThreads = 8;
  constexpr int kStatements = 250;
  open(of_size(2));
  held.reset();
  std::atomic<long> switches = 0;
  for (int t = 0; t < kThreads; ++t) {
    come([&] {
      const long before = switches_of_this_thread();
      for (int i = 0; i < kStatements; ++i)
        EXPECT_EQ(pool->query_one_blocking<int>("SELECT $1::int", i).value(), i);
      switches += switches_of_this_thread() - before;
    });
  }
  join();

  EXPECT_LE(switches, kThreads * kStatements * 5 / 4);
  expect_idle();
}

// Hand-overs, deadlines, lost connections and resets meet all the time.
TEST_F(StatementErrandTest, NothingIsLostInACrowd) {
  constexpr int kThreads = 12;
  open(of_size(3));
  held.reset();
  std::atomic<int> answered = 0;
  std::atomic<int> given_up = 0;
  for (int t = 0; t < kThreads; ++t) {
    come([&, t] {
      SeededRandom random(static_cast<std::uint64_t>(t));
      for (int i = 0; i < 150; ++i) {
        const Duration patience(1'000'000 + static_cast<std::int64_t>(random.below(20'000'000)));
        auto within = pool->within(patience);
        const bool leaves_something = random.below(10) == 0;
        const Result<int> answer = leaves_something
                                       ? within.query_one_blocking<int>(
                                             "SELECT $1::int FROM set_config('a.b', 'c', false)", i)
                                       : within.query_one_blocking<int>("SELECT $1::int", i);
        if (answer) {
          EXPECT_EQ(*answer, i);
          ++answered;
        } else {
          EXPECT_EQ(answer.error().code(), Errc::timed_out) << answer.error();
          ++given_up;
        }
      }
    });
  }
  join();

  EXPECT_EQ(answered + given_up, kThreads * 150);
  EXPECT_GT(answered, 0);
  EXPECT_EQ(pool->statistics().waiters, 0);
  EXPECT_TRUE(pool->exec_blocking("SELECT 1").has_value());
}

}  // namespace
}  // namespace forebay::test
