// What does a row cost that is read one at a time?
//
// A million rows of a number and a short text, by one thread on one connection to a throw-away
// PostgreSQL on the same machine: bare libpq in single-row mode, with the number parsed and the
// text copied; a RowStream by a thread, and by a task; and query(), which has all rows in memory.
// "memory_mb" is how much the process has grown at the end of the rows since their beginning. The
// server makes the rows as fast as it can, so it is a part of the time of all of them.
#include <fstream>
#include <memory>
#include <string>
#include <tuple>

#include <benchmark/benchmark.h>
#include <libpq-fe.h>
#include <malloc.h>
#include <unistd.h>

#include "bench_server.hpp"
#include "forebay/forebay.hpp"

namespace forebay::bench {
namespace {

using namespace std::chrono_literals;
using postgres::PostgresPool;

constexpr int kRows = 1'000'000;
constexpr const char* kMillion =
    "SELECT n, 'name ' || n FROM (SELECT generate_series(1, 1000000) AS n) AS numbers";
constexpr double kMegabyte = 1024.0 * 1024.0;

struct World {
  World() {
    auto opened = PostgresPool::open(runtime, server().superuser_url(), {});
    if (!opened) give_up(opened.error().text());
    pool = std::move(*opened);
  }
  Runtime runtime;
  std::unique_ptr<PostgresPool> pool;
};

World& world() {
  static World made;
  return made;
}

double resident_megabytes() {
  long total = 0;
  long resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / kMegabyte;
}

// How much larger the process is at its end than it was at the beginning.
class Growth {
 public:
  Growth() { malloc_trim(0); }
  void report(benchmark::State& state) const {
    state.SetItemsProcessed(state.iterations() * kRows);
    state.counters["memory_mb"] = most_ - before_;
  }
  void look() { most_ = std::max(most_, resident_megabytes()); }

 private:
  const double before_ = resident_megabytes();
  double most_ = before_;
};

void check(benchmark::State& state, long rows) {
  if (rows != kRows) state.SkipWithError("rows are missing");
}

void libpq_single_row(benchmark::State& state) {
  PGconn* connection = PQconnectdb(server().superuser_url().c_str());
  Growth growth;
  for (auto step : state) {
    PQsendQueryParams(connection, kMillion, 0, nullptr, nullptr, nullptr, nullptr, 0);
    PQsetSingleRowMode(connection);
    long rows = 0;
    while (PGresult* result = PQgetResult(connection)) {
      if (PQresultStatus(result) == PGRES_SINGLE_TUPLE) {
        ++rows;
        benchmark::DoNotOptimize(std::atoi(PQgetvalue(result, 0, 0)));
        const std::string text(PQgetvalue(result, 0, 1));
        benchmark::DoNotOptimize(text.data());
      }
      PQclear(result);
    }
    growth.look();
    check(state, rows);
  }
  PQfinish(connection);
  growth.report(state);
}

void stream_of_a_thread(benchmark::State& state) {
  Growth growth;
  for (auto step : state) {
    auto rows = world().pool->stream_blocking<int, std::string>(kMillion);
    if (!rows) return state.SkipWithError(rows.error().text().c_str());
    for (const auto& row : *rows) benchmark::DoNotOptimize(std::get<0>(row.value()));
    growth.look();
    check(state, static_cast<long>(rows->rows()));
  }
  growth.report(state);
}

Task<long> read_all(PostgresPool& pool) {
  auto rows = co_await pool.stream<int, std::string>(kMillion);
  if (!rows) co_return -1;
  while (auto row = co_await rows->next()) benchmark::DoNotOptimize(std::get<0>(row->value()));
  co_return static_cast<long>(rows->rows());
}

void stream_of_a_task(benchmark::State& state) {
  Growth growth;
  for (auto step : state) {
    check(state, run_blocking(world().runtime.scheduler(), read_all(*world().pool)));
    growth.look();
  }
  growth.report(state);
}

void query_of_a_thread(benchmark::State& state) {
  Growth growth;
  for (auto step : state) {
    const auto rows = world().pool->query_blocking<int, std::string>(kMillion);
    if (!rows) return state.SkipWithError(rows.error().text().c_str());
    growth.look();
    check(state, static_cast<long>(rows->size()));
  }
  growth.report(state);
}

void once(benchmark::internal::Benchmark* bench) {
  bench->Iterations(2)->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(libpq_single_row)->Apply(once);
BENCHMARK(stream_of_a_thread)->Apply(once);
BENCHMARK(stream_of_a_task)->Apply(once);
BENCHMARK(query_of_a_thread)->Apply(once);

}  // namespace

int run(int argc, char** argv) {
  world();  // here: the server ends with the thread that started it
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace forebay::bench

int main(int argc, char** argv) { return forebay::bench::run(argc, argv); }
