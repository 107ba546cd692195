// How long does a page of metrics take, for so many pools?
//
// The pools are real, with a reservoir of four fake connections each and some traffic behind them.
// The page is put together as a scrape would have it; the network is left out.
#include "forebay/metrics/metrics.hpp"

#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/metrics/metric_sources.hpp"
#include "forebay/pool/pool.hpp"
#include "support/fake_connector.hpp"

namespace forebay::bench {
namespace {

using namespace std::chrono_literals;

class ManyPools {
 public:
  explicit ManyPools(int count) : server_(runtime_.scheduler()), connector_(server_) {
    server_.connect_time = Duration::zero();
    server_.close_time = Duration::zero();
    for (int i = 0; i < count; ++i) add("pool-" + std::to_string(i));
  }
  ~ManyPools() {
    watches_.clear();
    for (const auto& pool : pools_) run_blocking(runtime_.scheduler(), pool->close(kNever));
  }
  ManyPools(const ManyPools&) = delete;
  ManyPools& operator=(const ManyPools&) = delete;

  const Metrics& metrics() const { return metrics_; }

 private:
  void add(std::string name) {
    PoolOptions options;
    options.name = std::move(name);
    options.size.max = 4;
    options.supply = Supply::reservoir;
    auto pool = std::make_unique<Pool>(runtime_.env(), connector_, options);
    run_blocking(runtime_.scheduler(), pool->start());
    for (int i = 0; i < 10; ++i) FOREBAY_CHECK(pool->acquire_blocking(10s).has_value());
    watches_.push_back(metrics_.watch([each = pool.get()](MetricSink& sink) {
      write_pool_metrics(sink, "bench", each->name(), each->statistics());
    }));
    pools_.push_back(std::move(pool));
  }

  Runtime runtime_;
  test::FakeServer server_;
  test::FakeConnector connector_;
  Metrics metrics_{"bench"};
  std::vector<std::unique_ptr<Pool>> pools_;
  std::vector<Metrics::Watch> watches_;
};

void scrape(benchmark::State& state) {
  const ManyPools pools(static_cast<int>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string page = pools.metrics().text();
    bytes = page.size();
    benchmark::DoNotOptimize(page.data());
  }
  state.counters["page_bytes"] = static_cast<double>(bytes);
}

BENCHMARK(scrape)->ArgName("pools")->Arg(1)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace forebay::bench

BENCHMARK_MAIN();
