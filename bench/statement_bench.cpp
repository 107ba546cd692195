// What does a statement cost, from acquiring a connection to giving it back?
//
// Each of 8 threads acquires, runs one statement and gives back, without pause, on a pool of 8
// connections to a throw-away PostgreSQL on the same machine. Beside it bare libpq, one connection
// a thread, plain and prepared: the floor. "always" is a session cleared by DISCARD ALL after each
// loan and nothing prepared; "smart" is the default. "three" is a transaction of three statements:
// BEGIN and COMMIT alone (5 round trips), BEGIN with the first (4), COMMIT with the last as well
// (3), all in a batch (1); by one thread, too, whose time is mostly that of the round trips. Left
// out: the network.
//
// Waiting for a connection is what the crowds are about: 12 or 32 threads, or tasks of one loop, on
// the same 8 connections for five seconds. Their cycle is acquire, statement and give back.
// "fairness" is what the least served of them got, as a part of what the most served got; "wait" is
// what acquire took of a cycle, which the pool can do something about.
// "switches" are those of the client's threads that had to wait, for each statement; "processor"
// is the client's own time.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <libpq-fe.h>
#include <sys/resource.h>

#include "bench_server.hpp"
#include "forebay/forebay.hpp"

namespace forebay::bench {
namespace {

using namespace std::chrono_literals;
using postgres::PostgresPool;

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 8;
constexpr auto kCrowdTime = 5s;
constexpr const char* kOne = "SELECT 1";
constexpr const char* kRow = "SELECT name FROM account WHERE id = $1";

std::unique_ptr<PostgresPool> open_pool(Runtime& runtime, ResetMode reset) {
  PoolOptions options;
  options.size.max = kThreads;
  options.supply = Supply::reservoir;
  options.session.reset = reset;
  if (reset == ResetMode::always) options.session.statement_cache = StatementCaching::off;
  auto pool = PostgresPool::open(runtime, server().superuser_url(), options);
  if (!pool) give_up(pool.error().text());
  return std::move(*pool);
}

// The pools, and the table that is asked.
struct World {
  Runtime runtime;
  std::unique_ptr<PostgresPool> always = open_pool(runtime, ResetMode::always);
  std::unique_ptr<PostgresPool> smart = open_pool(runtime, ResetMode::smart);

  World() {
    auto session = smart->acquire_blocking(30s);
    if (!session) give_up(session.error().text());
    const auto made = (*session)->exec_blocking(
        "CREATE TABLE IF NOT EXISTS account (id int PRIMARY KEY, name text);"
        "INSERT INTO account SELECT n, 'name ' || n FROM generate_series(1, 10000) n "
        "ON CONFLICT DO NOTHING; ANALYZE account",
        60s);
    if (!made) give_up(made.error().text());
  }
};

World& world() {
  static World made;
  return made;
}

// What the client's own threads cost, and how often they had to wait. The server is not counted.
class ClientUse {
 public:
  ClientUse() { getrusage(RUSAGE_SELF, &begun_); }
  void report(benchmark::State& state, double statements) const {
    rusage now{};
    getrusage(RUSAGE_SELF, &now);
    const auto spent = seconds(now.ru_utime) + seconds(now.ru_stime) - seconds(begun_.ru_utime) -
                       seconds(begun_.ru_stime);
    state.counters["processor_us"] = spent * 1e6 / statements;
    state.counters["switches"] = static_cast<double>(now.ru_nvcsw - begun_.ru_nvcsw) / statements;
  }

 private:
  static double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  }
  rusage begun_{};
};

void report(benchmark::State& state, const ClientUse& use) {
  state.SetItemsProcessed(state.iterations());
  if (state.thread_index() != 0) return;
  use.report(state, static_cast<double>(state.iterations()) * state.threads());
}

void forebay_statement(benchmark::State& state, PostgresPool& pool, const char* sql) {
  int id = 0;
  const ClientUse use;
  for (auto step : state) {
    auto session = pool.acquire_blocking(30s);
    if (!session) return state.SkipWithError(session.error().text().c_str());
    id = id % 10'000 + 1;
    const auto values = sql == kRow ? postgres::parameters(id) : postgres::Parameters();
    const auto result = (*session)->exec_blocking(sql, values, 30s);
    if (!result) return state.SkipWithError(result.error().text().c_str());
  }
  report(state, use);
}

void libpq_statement(benchmark::State& state, const char* sql, bool is_prepared) {
  world();
  PGconn* connection = PQconnectdb(server().superuser_url().c_str());
  const int count = sql == kRow ? 1 : 0;
  if (is_prepared) PQclear(PQprepare(connection, "p", sql, 0, nullptr));
  int id = 0;
  const ClientUse use;
  for (auto step : state) {
    id = id % 10'000 + 1;
    const std::string text = std::to_string(id);
    const char* const value = text.c_str();
    PGresult* result = nullptr;
    if (is_prepared) {
      result = PQexecPrepared(connection, "p", count, &value, nullptr, nullptr, 0);
    } else if (count == 0) {
      result = PQexec(connection, sql);
    } else {
      result = PQexecParams(connection, sql, count, nullptr, &value, nullptr, nullptr, 0);
    }
    if (PQresultStatus(result) != PGRES_TUPLES_OK) state.SkipWithError(PQerrorMessage(connection));
    PQclear(result);
  }
  PQfinish(connection);
  report(state, use);
}

// One transaction of three statements: read a row, change another, change a third.
constexpr const char* kChange = "UPDATE account SET name = $2 WHERE id = $1";

struct ThreeIds {
  explicit ThreeIds(int thread) : first(thread * 1'000) {}
  int next() { return first + (last = last % 999 + 1); }
  int first;
  int last = 0;
};

Result<void> three(postgres::StatementScope& scope, ThreeIds& ids, bool is_last_left_out = false) {
  const auto read = scope.exec_blocking(kRow, postgres::parameters(ids.next()));
  if (!read) return failure(read.error());
  for (int i = 0; i < (is_last_left_out ? 1 : 2); ++i) {
    const auto changed = scope.exec_blocking(kChange, postgres::parameters(ids.next(), "name"));
    if (!changed) return failure(changed.error());
  }
  return {};
}

// BEGIN and COMMIT as statements of their own.
Result<void> alone(ThreeIds& ids) {
  auto session = world().smart->acquire_blocking(30s);
  if (!session) return failure(session.error());
  postgres::StatementScope scope(**session, kNever);
  const auto begun = scope.exec_blocking("BEGIN");
  if (!begun) return failure(begun.error());
  Result<void> done = three(scope, ids);
  if (!done) return done;
  const auto committed = scope.exec_blocking("COMMIT");
  return committed ? Result<void>() : failure(committed.error());
}

Result<void> with_begin(postgres::Transaction& transaction, ThreeIds& ids) {
  return three(transaction, ids);
}

Result<void> with_both(postgres::Transaction& transaction, ThreeIds& ids) {
  const Result<void> done = three(transaction, ids, true);
  if (!done) return done;
  const auto last =
      transaction.exec_and_commit_blocking(kChange, postgres::parameters(ids.next(), "name"));
  return last ? Result<void>() : failure(last.error());
}

Result<void> as_a_batch(postgres::Transaction& transaction, ThreeIds& ids) {
  postgres::Batch batch;
  batch.add(kRow, postgres::parameters(ids.next()));
  for (int i = 0; i < 2; ++i) batch.add(kChange, postgres::parameters(ids.next(), "name"));
  const auto done = transaction.exec_batch_and_commit_blocking(batch);
  return done ? Result<void>() : failure(done.error());
}

template <class Work>
void repeat(benchmark::State& state, Work work) {
  ThreeIds ids(state.thread_index());
  for (auto step : state) {
    const Result<void> done = work(ids);
    if (!done) return state.SkipWithError(done.error().text().c_str());
  }
  state.SetItemsProcessed(state.iterations());
}

using Body = Result<void> (*)(postgres::Transaction&, ThreeIds&);

void run_three(benchmark::State& state, Body body) {
  const postgres::TransactionOptions options("three");
  repeat(state, [&](ThreeIds& ids) {
    return postgres::run_transaction_blocking(
        *world().smart, options,
        [&](postgres::Transaction& transaction) { return body(transaction, ids); });
  });
}

void three_alone(benchmark::State& state) { repeat(state, &alone); }
void three_with_begin(benchmark::State& state) { run_three(state, &with_begin); }
void three_with_both(benchmark::State& state) { run_three(state, &with_both); }
void three_as_a_batch(benchmark::State& state) { run_three(state, &as_a_batch); }

// The cycles of one caller, in seconds.
struct Cycles {
  Cycles() = default;
  std::vector<double> whole;
  std::vector<double> waits;  // of these, for a connection

  void add(Clock::time_point begun, Clock::time_point acquired) {
    whole.push_back(std::chrono::duration<double>(Clock::now() - begun).count());
    waits.push_back(std::chrono::duration<double>(acquired - begun).count());
  }
  std::size_t size() const { return whole.size(); }
  void append(const Cycles& other) {
    whole.insert(whole.end(), other.whole.begin(), other.whole.end());
    waits.insert(waits.end(), other.waits.begin(), other.waits.end());
  }
};

void serve_thread(PostgresPool& pool, const std::atomic<bool>& is_over, Cycles& cycles) {
  while (!is_over) {
    const auto begun = Clock::now();
    Clock::time_point acquired;
    {
      auto session = pool.acquire_blocking(30s);
      if (!session) give_up(session.error().text());
      acquired = Clock::now();
      const auto result = (*session)->exec_blocking(kOne, 30s);
      if (!result) give_up(result.error().text());
    }
    cycles.add(begun, acquired);
  }
}

Task<void> serve_task(PostgresPool& pool, const std::atomic<bool>& is_over, Cycles& cycles) {
  Scheduler& scheduler = pool.env().scheduler;
  while (!is_over) {
    const auto begun = Clock::now();
    Clock::time_point acquired;
    {
      auto session = co_await pool.acquire(deadline_after(scheduler.now(), 30s));
      if (!session) give_up(session.error().text());
      acquired = Clock::now();
      const auto result = co_await (*session)->exec(kOne, deadline_after(scheduler.now(), 30s));
      if (!result) give_up(result.error().text());
    }
    cycles.add(begun, acquired);
  }
}

double quantile(std::vector<double>& all, double part) {
  const auto rank = static_cast<std::ptrdiff_t>(static_cast<double>(all.size() - 1) * part);
  std::nth_element(all.begin(), all.begin() + rank, all.end());
  return all[static_cast<std::size_t>(rank)];
}

using Serve = void (*)(PostgresPool&, const std::atomic<bool>&, Cycles&);

void task_on_loop(PostgresPool& pool, const std::atomic<bool>& is_over, Cycles& cycles) {
  run_blocking(pool.env().scheduler, serve_task(pool, is_over, cycles));
}

// A thread for each of them, which for a task only waits for its end.
void crowd(benchmark::State& state, Serve serve) {
  PostgresPool& pool = *world().smart;
  std::vector<Cycles> cycles(static_cast<std::size_t>(state.range(0)));
  for (auto step : state) {
    std::atomic<bool> is_over = false;
    std::vector<std::thread> callers;
    const ClientUse use;
    const auto begun = Clock::now();
    for (Cycles& own : cycles)
      callers.emplace_back(serve, std::ref(pool), std::cref(is_over), std::ref(own));
    std::this_thread::sleep_for(kCrowdTime);
    is_over = true;
    for (std::thread& caller : callers) caller.join();
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - begun).count());
    Cycles all;
    for (const Cycles& own : cycles) all.append(own);
    use.report(state, static_cast<double>(all.size()));
    const auto [least, most] = std::ranges::minmax_element(cycles, {}, &Cycles::size);
    state.counters["fairness"] =
        static_cast<double>(least->size()) / static_cast<double>(most->size());
    state.counters["p50_ms"] = quantile(all.whole, 0.5) * 1e3;
    state.counters["p99.9_ms"] = quantile(all.whole, 0.999) * 1e3;
    state.counters["wait_p99.9_ms"] = quantile(all.waits, 0.999) * 1e3;
    state.counters["wait_max_ms"] = quantile(all.waits, 1) * 1e3;
    state.SetItemsProcessed(static_cast<std::int64_t>(all.size()));
  }
}

void crowd_of_threads(benchmark::State& state) { crowd(state, &serve_thread); }
void crowd_of_tasks(benchmark::State& state) { crowd(state, &task_on_loop); }

void always_one(benchmark::State& state) { forebay_statement(state, *world().always, kOne); }
void smart_one(benchmark::State& state) { forebay_statement(state, *world().smart, kOne); }
void libpq_one(benchmark::State& state) { libpq_statement(state, kOne, false); }
void libpq_one_prepared(benchmark::State& state) { libpq_statement(state, kOne, true); }
void always_row(benchmark::State& state) { forebay_statement(state, *world().always, kRow); }
void smart_row(benchmark::State& state) { forebay_statement(state, *world().smart, kRow); }
void libpq_row(benchmark::State& state) { libpq_statement(state, kRow, false); }
void libpq_row_prepared(benchmark::State& state) { libpq_statement(state, kRow, true); }

BENCHMARK(libpq_one)->Threads(kThreads)->UseRealTime();
BENCHMARK(libpq_one_prepared)->Threads(kThreads)->UseRealTime();
BENCHMARK(always_one)->Threads(kThreads)->UseRealTime();
BENCHMARK(smart_one)->Threads(kThreads)->UseRealTime();
BENCHMARK(libpq_row)->Threads(kThreads)->UseRealTime();
BENCHMARK(libpq_row_prepared)->Threads(kThreads)->UseRealTime();
BENCHMARK(always_row)->Threads(kThreads)->UseRealTime();
BENCHMARK(smart_row)->Threads(kThreads)->UseRealTime();
BENCHMARK(three_alone)->Threads(1)->Threads(kThreads)->UseRealTime();
BENCHMARK(three_with_begin)->Threads(1)->Threads(kThreads)->UseRealTime();
BENCHMARK(three_with_both)->Threads(1)->Threads(kThreads)->UseRealTime();
BENCHMARK(three_as_a_batch)->Threads(1)->Threads(kThreads)->UseRealTime();

void crowds(benchmark::internal::Benchmark* bench) {
  bench->ArgName("callers")->Arg(12)->Arg(32);
  bench->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(crowd_of_threads)->Apply(crowds);
BENCHMARK(crowd_of_tasks)->Apply(crowds);

}  // namespace

int run(int argc, char** argv) {
  world();  // here: the server ends with the thread that started it
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace forebay::bench

int main(int argc, char** argv) { return forebay::bench::run(argc, argv); }
