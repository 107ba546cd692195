#include "forebay/cli/demo_summary.hpp"

#include <limits>

#include <fmt/format.h>

#include "forebay/base/json_text.hpp"
#include "forebay/cli/discard_list.hpp"
#include "forebay/cli/figures.hpp"
#include "forebay/cli/styled_line.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::cli {
namespace {

// Text of others, made harmless for a terminal.
std::string plain(std::string_view text) {
  const TextStyle unlimited{std::numeric_limits<int>::max(), false, true};
  return StyledLine(unlimited).add(text).text();
}

std::string discards_json(const PoolCounters& counters) {
  std::string items;
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    const auto reason = static_cast<DiscardReason>(i);
    items += fmt::format("{}{}:{}", i > 0 ? "," : "", json_quoted(name(reason)),
                         counters.discarded(reason));
  }
  return "{" + items + "}";
}

std::string failures_json(const PoolCounters& counters) {
  std::string items;
  for (std::size_t i = 0; i < kOpenFailures; ++i) {
    const auto reason = static_cast<OpenFailure>(i);
    items += fmt::format("{}{}:{}", i > 0 ? "," : "", json_quoted(name(reason)),
                         counters.failed(reason));
  }
  return "{" + items + "}";
}

}  // namespace

std::string summary_text(const DemoOptions& options, const DemoSample& end) {
  const PoolCounters& counters = end.pool.counters;
  const LatencySnapshot& times = end.acquire_times;
  const DiscardList discards(counters);
  std::string text =
      fmt::format("forebay demo: {} on {}\n", readable_time(end.at), plain(options.place));
  text += fmt::format("  pool       {} connections at most, {} kept ready, lifetime {}\n",
                      end.pool.max, end.pool.target_ready, duration_text(options.pool.lifetime));
  text += fmt::format("  served     {} statements ({:.0f} a second), {} failed\n",
                      grouped(end.load.statements), per_second(end.load.statements, end.at),
                      grouped(end.load.failures));
  text += fmt::format("  acquire    p50 {}, p99 {}, p99.9 {}, longest {}\n",
                      readable_time(times.percentile(50)), readable_time(times.percentile(99)),
                      readable_time(times.percentile(99.9)), readable_time(times.percentile(100)));
  text += fmt::format("  empty      {} events: {}\n", grouped(counters.empty),
                      counters.empty == 0 ? "a connection was ready for every caller"
                                          : "times that a caller found no connection ready");
  text += fmt::format("  opened     {} connections, {} connects failed\n", grouped(counters.opened),
                      grouped(counters.open_failures()));
  for (std::size_t i = 0; i < kOpenFailures; ++i) {
    if (counters.failures[i] == 0) continue;
    text += fmt::format("  {:>15}  {}\n", grouped(counters.failures[i]),
                        name(static_cast<OpenFailure>(i)));
  }
  text += fmt::format("  discarded  {} connections\n", grouped(discards.total()));
  for (const auto& [reason, count] : discards.reasons()) {
    text += fmt::format("  {:>15}  {}\n", grouped(count), name(reason));
  }
  if (!end.pool.last_connect_error.empty()) {
    text += fmt::format("  last connect error: {}\n", plain(end.pool.last_connect_error));
  }
  if (!end.load.last_failure.empty()) {
    text += fmt::format("  last failure: {}\n", plain(end.load.last_failure));
  }
  return text;
}

std::string summary_json(const DemoOptions& options, const DemoSample& end) {
  const PoolCounters& counters = end.pool.counters;
  const LatencySnapshot& times = end.acquire_times;
  std::string text = fmt::format(
      R"("place":{},"elapsed_seconds":{:.3f},"max":{},"target_ready":{},"lifetime_seconds":{},)",
      json_quoted(options.place), seconds(end.at), end.pool.max, end.pool.target_ready,
      seconds(options.pool.lifetime));
  text += fmt::format(R"("statements":{},"failures":{},"empty":{},"waits":{},"timeouts":{},)",
                      end.load.statements, end.load.failures, counters.empty, counters.waits(),
                      counters.timeouts);
  text += fmt::format(R"("acquire_seconds":{{"count":{},"p50":{:.9f},"p99":{:.9f},)", times.count(),
                      seconds(times.percentile(50)), seconds(times.percentile(99)));
  text += fmt::format(R"("p99_9":{:.9f},"longest":{:.9f}}},)", seconds(times.percentile(99.9)),
                      seconds(times.percentile(100)));
  text += fmt::format(R"("opened":{},"open_failures":{},"open_failures_by_reason":{},)",
                      counters.opened, counters.open_failures(), failures_json(counters));
  text += fmt::format(R"("discards":{},)", discards_json(counters));
  text += fmt::format(R"("last_connect_error":{},"last_failure":{})",
                      json_quoted(end.pool.last_connect_error), json_quoted(end.load.last_failure));
  return "{" + text + "}\n";
}

}  // namespace forebay::cli
