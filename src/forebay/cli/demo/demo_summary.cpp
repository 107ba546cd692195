#include "forebay/cli/demo/demo_summary.hpp"

#include <limits>

#include <fmt/format.h>

#include "forebay/base/json_writer.hpp"
#include "forebay/cli/demo/discard_list.hpp"
#include "forebay/cli/text/figures.hpp"
#include "forebay/cli/text/styled_line.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::cli {
namespace {

// Text of others, made harmless for a terminal.
std::string plain(std::string_view text) {
  const TextStyle unlimited{std::numeric_limits<int>::max(), false, true};
  return StyledLine(unlimited).add(text).text();
}

JsonObject discards_json(const PoolCounters& counters) {
  JsonObject json;
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    const auto reason = static_cast<DiscardReason>(i);
    json.add(name(reason), counters.discarded(reason));
  }
  return json;
}

JsonObject failures_json(const PoolCounters& counters) {
  JsonObject json;
  for (std::size_t i = 0; i < kOpenFailures; ++i) {
    const auto reason = static_cast<OpenFailure>(i);
    json.add(name(reason), counters.failed(reason));
  }
  return json;
}

JsonObject times_json(const LatencySnapshot& times) {
  JsonObject json;
  json.add("count", times.count()).add("p50", times.percentile(50));
  json.add("p99", times.percentile(99)).add("p99_9", times.percentile(99.9));
  return json.add("longest", times.percentile(100));
}

}  // namespace

std::string summary_text(const DemoOptions& options, const DemoSample& end) {
  const PoolCounters& counters = end.pool.counters;
  const LatencySnapshot& times = end.acquire_times;
  const DiscardList discards(counters);
  std::string text =
      fmt::format("forebay demo: {} on {}\n", readable_time(end.at), plain(options.place));
  text += fmt::format("  pool       {} connections at most, {} kept ready, lifetime {}\n",
                      end.pool.max, end.pool.target_ready, duration_text(*options.pool.lifetime));
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
  JsonObject json;
  json.add("place", options.place).add("elapsed_seconds", end.at).add("max", end.pool.max);
  json.add("target_ready", end.pool.target_ready).add("open", end.pool.open());
  json.add("lifetime_seconds", *options.pool.lifetime);
  json.add("statements", end.load.statements).add("failures", end.load.failures);
  json.add("empty", counters.empty).add("waits", counters.waits());
  json.add("timeouts", counters.timeouts).add("acquire_seconds", times_json(end.acquire_times));
  json.add("opened", counters.opened).add("open_failures", counters.open_failures());
  json.add("open_failures_by_reason", failures_json(counters));
  json.add("discards", discards_json(counters));
  json.add("last_connect_error", end.pool.last_connect_error);
  return json.add("last_failure", end.load.last_failure).text() + "\n";
}

}  // namespace forebay::cli
