// What does a statement cost, from acquiring a connection to giving it back?
//
// Each of 8 threads acquires, runs one statement and gives back, without pause, on a pool of 8
// connections to a throw-away PostgreSQL on the same machine. Beside it bare libpq, one connection
// a thread, plain and prepared: the floor. "always" is a session cleared by DISCARD ALL after each
// loan and nothing prepared; "smart" is the default. Left out: the network, and waiting for a
// connection.
#include <cstdlib>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>
#include <libpq-fe.h>

#include "forebay/embedded/postgres_server.hpp"
#include "forebay/forebay.hpp"

namespace forebay::bench {
namespace {

using namespace std::chrono_literals;
using embedded::PostgresServer;
using postgres::PostgresPool;

constexpr int kThreads = 8;
constexpr const char* kOne = "SELECT 1";
constexpr const char* kRow = "SELECT name FROM account WHERE id = $1";

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "statement_bench: %s\n", why.c_str());
  std::exit(1);
}

PostgresServer& server() {
  static std::unique_ptr<PostgresServer> launched = [] {
    auto result = PostgresServer::launch({});
    if (!result) give_up(result.error().text());
    return std::move(*result);
  }();
  return *launched;
}

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

void forebay_statement(benchmark::State& state, PostgresPool& pool, const char* sql) {
  int id = 0;
  for (auto step : state) {
    auto session = pool.acquire_blocking(30s);
    if (!session) return state.SkipWithError(session.error().text().c_str());
    id = id % 10'000 + 1;
    const auto values = sql == kRow ? postgres::parameters(id) : postgres::Parameters();
    const auto result = (*session)->exec_blocking(sql, values, 30s);
    if (!result) return state.SkipWithError(result.error().text().c_str());
  }
  state.SetItemsProcessed(state.iterations());
}

void libpq_statement(benchmark::State& state, const char* sql, bool is_prepared) {
  world();
  PGconn* connection = PQconnectdb(server().superuser_url().c_str());
  const int count = sql == kRow ? 1 : 0;
  if (is_prepared) PQclear(PQprepare(connection, "p", sql, 0, nullptr));
  int id = 0;
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
  state.SetItemsProcessed(state.iterations());
}

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

}  // namespace

int run(int argc, char** argv) {
  world();  // here: the server ends with the thread that started it
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace forebay::bench

int main(int argc, char** argv) { return forebay::bench::run(argc, argv); }
