#include "forebay/proxy/proxy_metrics.hpp"

#include <gtest/gtest.h>

#include "support/noting_sink.hpp"

namespace forebay::proxy {
namespace {

ProxyStatistics busy_proxy() {
  ProxyStatistics proxy;
  proxy.strangers.clients = 2;
  proxy.strangers.refused = 3;
  for (const char* const name : {"orders", "reports"}) {
    RouteStatistics& route = proxy.routes.emplace_back();
    route.name = name;
    route.clients.clients = 10;
    route.clients.waiting = 4;
    route.clients.unserved = 1;
    route.pinned = 2;
    route.sessions.pins_by_kind[static_cast<std::size_t>(PinKind::listen)] = 5;
    route.sessions.pins_by_kind[static_cast<std::size_t>(PinKind::load)] = 6;
  }
  return proxy;
}

TEST(ProxyMetricsTest, EveryMetricOfTheProxyIsToldWithItsLabels) {
  test::NotingSink sink;
  write_proxy_metrics(sink, "serve", busy_proxy());

  int told = 0;
  for (const MetricDefinition& each : metric_table()) {
    if (!each.name.starts_with("forebay_proxy_")) continue;
    EXPECT_TRUE(sink.numbers.contains(each.metric)) << each.name;
    ++told;
  }
  EXPECT_EQ(static_cast<std::size_t>(told), sink.numbers.size());
}

TEST(ProxyMetricsTest, RoutesAndStrangersAddUpToAll) {
  test::NotingSink sink;
  write_proxy_metrics(sink, "serve", busy_proxy());

  EXPECT_EQ(sink.numbers[Metric::proxy_clients], 22);
  EXPECT_EQ(sink.numbers[Metric::proxy_refused], 3);
  EXPECT_EQ(sink.numbers[Metric::proxy_waiting], 8);
  EXPECT_EQ(sink.numbers[Metric::proxy_unserved], 2);
  EXPECT_EQ(sink.numbers[Metric::proxy_pinned], 4);
  EXPECT_EQ(sink.numbers[Metric::proxy_pins], 22);
  EXPECT_EQ(busy_proxy().clients().clients, 22);
}

}  // namespace
}  // namespace forebay::proxy
