// What does it cost to acquire a connection of a warm tenant and give it back, when few or many
// tenants are known? And how much memory does a tenant cost, known and warm?
//
// Ten tenants are warm and used in turn; the others were used once and lost their pools. Ids are
// UUIDs. Connections are fakes that need no reset; the hold is nothing. One thread. Left out: the
// server, the network, opening and evicting.
#include <memory>
#include <string>
#include <thread>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "support/real_tenants.hpp"

namespace forebay::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kWarm = 10;

std::string id_of(int number) {
  SeededRandom random(static_cast<std::uint64_t>(number));
  const std::string digits = std::to_string(random.next()) + std::to_string(random.next());
  std::string id = digits.substr(0, 8) + "-0000-4000-8000-";
  return id + std::to_string(100'000'000'000 + number);
}

void use(TenantPools& tenants, int number) {
  const Result<PooledConnection> connection = tenants.acquire_blocking(id_of(number), 30s);
  FOREBAY_CHECK(connection.has_value(), connection.error().text());
}

std::unique_ptr<test::RealTenants> make_tenants(int max_connections) {
  TenantOptions options;
  options.max_connections = max_connections;
  options.pool.idle_timeout = 1h;
  return std::make_unique<test::RealTenants>(options, [](test::FakeServer& server) {
    server.connect_time = Duration::zero();
    server.close_time = Duration::zero();
  });
}

std::size_t allocated() { return mallinfo2().uordblks; }

void acquire_of_a_warm_tenant(benchmark::State& state) {
  const auto known = static_cast<int>(state.range(0));
  const std::unique_ptr<test::RealTenants> tenants = make_tenants(20);
  for (int i = kWarm; i < known; ++i) use(**tenants, i);
  std::vector<std::string> warm;
  for (int i = 0; i < kWarm; ++i) {
    use(**tenants, i);
    warm.push_back(id_of(i));
  }
  FOREBAY_CHECK((**tenants).totals().known == known);

  std::size_t next = 0;
  for (auto _ : state) {
    const Result<PooledConnection> connection = (**tenants).acquire_blocking(warm[next], 30s);
    benchmark::DoNotOptimize(connection);
    next = next + 1 < warm.size() ? next + 1 : 0;
  }
}

// Counted once, not timed.
void memory_of_a_known_tenant(benchmark::State& state) {
  constexpr int kTenants = 100'000;
  const std::unique_ptr<test::RealTenants> tenants = make_tenants(20);
  for (int i = 0; i < 1'000; ++i) use(**tenants, i);  // whatever is made once is there
  const std::size_t before = allocated();
  for (int i = 1'000; i < 1'000 + kTenants; ++i) use(**tenants, i);
  while ((**tenants).totals().old_pools > 0) std::this_thread::yield();
  const std::size_t after = allocated();
  for (auto _ : state) benchmark::DoNotOptimize(tenants);
  state.counters["bytes"] = static_cast<double>(after - before) / kTenants;
}

// With one connection, which is a fake: a real one has libpq's buffers on top.
void memory_of_a_warm_tenant(benchmark::State& state) {
  constexpr int kTenants = 5'000;
  const std::unique_ptr<test::RealTenants> tenants = make_tenants(2 * kTenants);
  use(**tenants, 0);
  const std::size_t before = allocated();
  for (int i = 1; i <= kTenants; ++i) use(**tenants, i);
  const std::size_t after = allocated();
  FOREBAY_CHECK((**tenants).totals().pools == kTenants + 1);
  for (auto _ : state) benchmark::DoNotOptimize(tenants);
  state.counters["bytes"] = static_cast<double>(after - before) / kTenants;
}

BENCHMARK(acquire_of_a_warm_tenant)->ArgName("known")->Arg(10)->Arg(1'000)->Arg(100'000);
BENCHMARK(memory_of_a_known_tenant)->Iterations(1);
BENCHMARK(memory_of_a_warm_tenant)->Iterations(1);

}  // namespace
}  // namespace forebay::bench

BENCHMARK_MAIN();
