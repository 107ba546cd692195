#include "forebay/metrics.hpp"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::array<MetricLabel, 1> kService = {{{"service", "orders"}}};

TEST(MetricsTest, ASourceIsAskedWhileItIsWatched) {
  Metrics metrics("orders");
  EXPECT_THAT(metrics.text(), HasSubstr("forebay_build_info{service=\"orders\",version=\""));
  {
    double value = 1;
    const Metrics::Watch watch = metrics.watch(
        [&](MetricSink& sink) { sink.number(Metric::tenants_known, kService, value); });
    EXPECT_THAT(metrics.text(), HasSubstr("forebay_tenants_known{service=\"orders\"} 1\n"));
    value = 2;
    EXPECT_THAT(metrics.text(), HasSubstr("forebay_tenants_known{service=\"orders\"} 2\n"));
  }
  EXPECT_THAT(metrics.text(), Not(HasSubstr("forebay_tenants_known")));
}

TEST(MetricsTest, AWatchCanMove) {
  Metrics metrics("orders");
  Metrics::Watch first = metrics.watch([](MetricSink&) {}, [] { return "first"; });
  Metrics::Watch second = metrics.watch([](MetricSink&) {}, [] { return "second"; });
  const Metrics::Watch third = metrics.watch([](MetricSink&) {}, [] { return ""; });
  EXPECT_THAT(metrics.not_ready(), ElementsAre("first", "second"));
  first = std::move(second);
  EXPECT_THAT(metrics.not_ready(), ElementsAre("second"));
}

TEST(MetricsTest, NamesThatAreTakenGetANumber) {
  Metrics metrics("orders");
  EXPECT_THAT(metrics.not_ready(), ElementsAre("orders: nothing is watched yet"));
  const auto tell = [](const std::string& name) {
    return [name](MetricSink& sink) {
      const std::array<MetricLabel, 2> labels = {{{"service", "orders"}, {"pool", name}}};
      sink.number(Metric::pool_open, labels, 1);
    };
  };
  const Metrics::Watch first = metrics.watch_named("main", tell);
  std::optional<Metrics::Watch> second = metrics.watch_named("main", tell);
  EXPECT_THAT(metrics.text(), HasSubstr("dsql_pool_open{service=\"orders\",pool=\"main\"} 1\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("dsql_pool_open{service=\"orders\",pool=\"main-2\"} 1\n"));
  second.reset();
  second = metrics.watch_named("main", tell);
  EXPECT_THAT(metrics.text(), HasSubstr("pool=\"main-2\""));
}

// A source that waits for somebody who wants to watch something.
TEST(MetricsTest, ASlowSourceKeepsNobodyFromWatching) {
  Metrics metrics("orders");
  std::atomic<bool> is_asked = false;
  std::atomic<bool> is_watched = false;
  const Metrics::Watch slow = metrics.watch([&](MetricSink&) {
    is_asked = true;
    while (!is_watched) std::this_thread::yield();
  });
  std::thread asks([&] { std::ignore = metrics.text(); });
  while (!is_asked) std::this_thread::yield();
  {
    const Metrics::Watch other = metrics.watch([](MetricSink&) {});
  }
  is_watched = true;
  asks.join();
}

TEST(MetricsTest, ThreadsMayComeAndGoWhileOthersAsk) {
  Metrics metrics("orders");
  std::atomic<bool> is_over = false;
  std::thread asks([&] {
    while (!is_over) EXPECT_THAT(metrics.text(), HasSubstr("forebay_build_info"));
  });
  std::vector<std::thread> watchers;
  for (int i = 0; i < 3; ++i) {
    watchers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        int own = 0;  // asked only while the watch lives
        const Metrics::Watch watch = metrics.watch([&own](MetricSink&) { ++own; });
      }
    });
  }
  for (std::thread& each : watchers) each.join();
  is_over = true;
  asks.join();
}

TEST(MetricsServerTest, AnswersWhatItIsAskedFor) {
  Metrics metrics("orders");
  std::string reason = "main: 3 of 10 connections are open";
  const Metrics::Watch watch = metrics.watch([](MetricSink&) {}, [&] { return reason; });
  const auto ask = [&](const std::string& path, const std::string& method = "GET",
                       const std::string& accept = "") {
    PageRequest request;
    request.method = method;
    request.path = path;
    request.accept = accept;
    return MetricsServer::reply(metrics, request);
  };
  EXPECT_EQ(ask("/metrics").status, 200u);
  EXPECT_EQ(ask("/metrics").content_type, "text/plain; version=0.0.4; charset=utf-8");
  const PageResponse open = ask("/metrics", "GET", "application/openmetrics-text;version=1.0.0");
  EXPECT_EQ(open.content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_TRUE(open.body.ends_with("# EOF\n"));
  EXPECT_EQ(ask("/healthz").body, "ok\n");
  EXPECT_EQ(ask("/readyz").status, 503u);
  EXPECT_EQ(ask("/readyz").body, "main: 3 of 10 connections are open\n");
  reason.clear();
  EXPECT_EQ(ask("/readyz").status, 200u);
  EXPECT_EQ(ask("/").status, 404u);
  EXPECT_EQ(ask("/metrics", "POST").status, 405u);
}

}  // namespace
}  // namespace forebay::test
