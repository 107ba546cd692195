// How do waiting and memory grow?
//
// waiting_tasks: tasks of one loop acquire, run SELECT 1 and give back without pause, on 8
// connections to a throw-away PostgreSQL on the same machine; so many of them stand in line at any
// time. "p99_turns" is the p99 of acquire in units of the time in which the whole line is served
// once: 1 is what order alone costs. "processor_us" is the client's time for a query.
//
// memory_of_...: bytes, as the allocator counts them, counted once and not timed. Left out: stacks
// of threads, what the server needs, and rows.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <libpq-fe.h>
#include <malloc.h>
#include <sys/resource.h>

#include "bench_server.hpp"
#include "forebay/forebay.hpp"

namespace forebay::bench {
namespace {

using namespace std::chrono_literals;
using postgres::PostgresPool;
using Clock = std::chrono::steady_clock;

constexpr int kConnections = 8;
constexpr auto kTime = 3s;
constexpr const char* kOne = "SELECT 1";

std::unique_ptr<PostgresPool> open_pool(Runtime& runtime, int connections) {
  PoolOptions options;
  options.size.max = connections;
  options.supply = Supply::reservoir;
  auto pool = PostgresPool::open(runtime, server().superuser_url(), options);
  if (!pool) give_up(pool.error().text());
  return std::move(*pool);
}

std::size_t allocated() { return mallinfo2().uordblks; }

double processor_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

struct Served {
  Served() = default;
  std::size_t queries = 0;
  std::vector<float> waits;  // for a connection, in seconds
};

Task<void> repeat(PostgresPool& pool, Instant end, Served& served) {
  Scheduler& scheduler = pool.env().scheduler;
  while (scheduler.now() < end) {
    const Instant begun = scheduler.now();
    auto session = co_await pool.acquire(deadline_after(begun, 60s));
    if (!session) give_up(session.error().text());
    served.waits.push_back(std::chrono::duration<float>(scheduler.now() - begun).count());
    const auto one = co_await (*session)->query_one<int>(kOne, deadline_after(begun, 60s));
    if (!one) give_up(one.error().text());
    ++served.queries;
  }
}

Task<void> repeat_all(PostgresPool& pool, int tasks, Served& served) {
  TaskGroup group(pool.env().scheduler);
  const Instant end = pool.env().scheduler.now() + kTime;
  for (int i = 0; i < tasks; ++i) group.spawn(repeat(pool, end, served));
  co_await group.join();
}

void waiting_tasks(benchmark::State& state) {
  const auto waiting = static_cast<int>(state.range(0));
  Runtime runtime;
  const auto pool = open_pool(runtime, kConnections);
  Served served;
  served.waits.reserve(10'000'000);
  for (auto step : state) {
    const double before = processor_seconds();
    const auto begun = Clock::now();
    run_blocking(runtime.scheduler(), repeat_all(*pool, kConnections + waiting, served));
    const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    const auto queries = static_cast<double>(served.queries);
    state.SetIterationTime(seconds);
    state.SetItemsProcessed(static_cast<std::int64_t>(served.queries));
    state.counters["processor_us"] = (processor_seconds() - before) * 1e6 / queries;
    const auto rank = static_cast<std::ptrdiff_t>(queries * 0.99);
    std::nth_element(served.waits.begin(), served.waits.begin() + rank, served.waits.end());
    const double p99 = static_cast<double>(served.waits[static_cast<std::size_t>(rank)]);
    state.counters["p99_ms"] = p99 * 1e3;
    state.counters["p99_turns"] = p99 * queries / seconds / waiting;
  }
}

Task<void> wait_in_line(PostgresPool& pool) { const auto session = co_await pool.acquire(kNever); }
Task<void> ask_in_line(PostgresPool& pool) { const auto one = co_await pool.query_one<int>(kOne); }

using Caller = Task<void> (*)(PostgresPool&);

// With all connections in use, so that they stand in line, and then in their statements.
Task<std::size_t> bytes_of_waiters(PostgresPool& pool, int waiters, Caller caller) {
  auto held = co_await pool.acquire(kNever);
  TaskGroup group(pool.env().scheduler);
  const std::size_t before = allocated();
  for (int i = 0; i < waiters; ++i) group.spawn(caller(pool));
  while (pool.statistics().waiters < waiters) co_await Yield(pool.env().scheduler);
  const std::size_t after = allocated();
  held->give_back();
  co_await group.join();
  co_return after - before;
}

void memory_of_a_waiter(benchmark::State& state, Caller caller) {
  constexpr int kWaiters = 10'000;
  Runtime runtime;
  const auto pool = open_pool(runtime, 1);
  for (auto step : state) {
    const auto bytes = run_blocking(runtime.scheduler(), bytes_of_waiters(*pool, kWaiters, caller));
    state.counters["bytes"] = static_cast<double>(bytes) / kWaiters;
  }
}

void memory_of_a_waiting_acquire(benchmark::State& state) {
  memory_of_a_waiter(state, &wait_in_line);
}
void memory_of_a_waiting_query(benchmark::State& state) { memory_of_a_waiter(state, &ask_in_line); }

constexpr int kFew = 10;
constexpr int kMany = 80;

std::size_t bytes_with(int connections) {
  Runtime runtime;
  const auto pool = open_pool(runtime, connections);
  return allocated();
}

void memory_of_a_connection(benchmark::State& state) {
  bytes_with(1);  // whatever is made once is there
  for (auto step : state) {
    const std::size_t few = bytes_with(kFew);
    state.counters["bytes"] =
        static_cast<double>(bytes_with(kMany) - few) / static_cast<double>(kMany - kFew);
  }
}

// The part of it that is libpq's.
void memory_of_a_bare_connection(benchmark::State& state) {
  std::vector<PGconn*> connections;
  connections.reserve(kMany);
  const auto open = [&] {
    connections.push_back(PQconnectdb(server().superuser_url().c_str()));
    if (PQstatus(connections.back()) != CONNECTION_OK) give_up(PQerrorMessage(connections.back()));
  };
  open();
  for (auto step : state) {
    const std::size_t before = allocated();
    for (int i = 1; i < kMany; ++i) open();
    state.counters["bytes"] = static_cast<double>(allocated() - before) / (kMany - 1);
  }
  for (PGconn* connection : connections) PQfinish(connection);
}

BENCHMARK(waiting_tasks)
    ->ArgName("waiting")
    ->Arg(8)
    ->Arg(32)
    ->Arg(125)
    ->Arg(500)
    ->Arg(2'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(memory_of_a_waiting_acquire)->Iterations(1);
BENCHMARK(memory_of_a_waiting_query)->Iterations(1);
BENCHMARK(memory_of_a_connection)->Iterations(1);
BENCHMARK(memory_of_a_bare_connection)->Iterations(1);

}  // namespace

int run(int argc, char** argv) {
  log::set_level(log::Level::error);  // an empty pool is what this is about
  server();                           // here: it ends with the thread that started it
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace forebay::bench

int main(int argc, char** argv) { return forebay::bench::run(argc, argv); }
