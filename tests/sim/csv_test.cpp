#include "forebay/sim/result/csv.hpp"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_result.hpp"

namespace forebay::sim {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> lines_of(const RunResult& result) {
  std::stringstream text;
  write_csv(result, text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

ServiceResult service(std::string name, std::vector<Duration> times) {
  ServiceResult result;
  result.name = std::move(name);
  for (const Duration at : times) {
    result.samples.emplace_back();
    result.samples.back().at = at;
  }
  return result;
}

// The first two columns of each row.
std::vector<std::string> keys(const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    result.push_back(lines[i].substr(0, lines[i].find(',', lines[i].find(',') + 1)));
  }
  return result;
}

TEST(CsvTest, ColumnsArePoolsimsAndThenOurs) {
  EXPECT_EQ(lines_of(RunResult()).at(0),
            "t_rfc3339,service,size,target,in_use,checkouts,empty_events,discards,discard_expired,"
            "discard_guard,discard_full,refills,refill_failures,scan_evictions,limiter_denies,"
            "work_started,work_completed,opening,cleaning,closing,waiters,leases,up,timeouts,"
            "work_failed,discard_insufficient_remaining_lifetime,discard_expired_on_checkout,"
            "discard_expired_on_return,discard_expired_on_scan,discard_expiring_soon_on_scan,"
            "discard_reservoir_full,discard_replaced,discard_idle,discard_broken,"
            "discard_reset_failed,discard_check_failed,discard_hook_failed,discard_shrunk,"
            "discard_discarded,discard_lease_lost,discard_evicted_tenant,discard_closed");
}

TEST(CsvTest, EachColumnHoldsWhatItsNameSays) {
  RunResult result;
  result.services = {service("history", {1s})};
  Sample& sample = result.services[0].samples[0];
  sample.ready = 1;
  sample.target = 2;
  sample.lent = 3;
  sample.acquired = 4;
  sample.empty_events = 5;
  sample.opened = 6;
  sample.open_failures = 7;
  sample.permit_waits = 8;
  sample.work_started = 9;
  sample.work_completed = 10;
  sample.opening = 11;
  sample.cleaning = 12;
  sample.closing = 13;
  sample.waiters = 14;
  sample.leases = 15;
  sample.is_up = true;
  sample.timeouts = 16;
  sample.work_failed = 17;
  for (std::size_t i = 0; i < kDiscardReasons; ++i) sample.discards[i] = 1U << i;

  // Reasons are 1, 2, 4 ... in the order of the enumeration: expired is 2 + 4 + 8, guard 1 + 16,
  // full 32, scan evictions 8 + 16 + 64.
  EXPECT_EQ(lines_of(result).at(1),
            "2026-01-01T00:00:01Z,history,1,2,3,4,5,131071,14,17,32,6,7,88,8,9,10,11,12,13,14,15,1,"
            "16,17,1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536");
}

TEST(CsvTest, RowsAreSortedByTimeAndThenAsTheServicesAre) {
  RunResult result;
  result.services = {service("b", {1s, 2s, 3s}), service("a", {1s, 2s, 3s}), service("late", {3s})};

  EXPECT_THAT(keys(lines_of(result)),
              testing::ElementsAre("2026-01-01T00:00:01Z,b", "2026-01-01T00:00:01Z,a",
                                   "2026-01-01T00:00:02Z,b", "2026-01-01T00:00:02Z,a",
                                   "2026-01-01T00:00:03Z,b", "2026-01-01T00:00:03Z,a",
                                   "2026-01-01T00:00:03Z,late"));
}

TEST(CsvTest, TimesPassMidnightAndShowPartsOfASecondOnlyWhereThereAreAny) {
  RunResult result;
  result.services = {service("a", {0s, 500ms, 24h + 61s, 31 * 24h})};

  EXPECT_THAT(keys(lines_of(result)),
              testing::ElementsAre("2026-01-01T00:00:00Z,a", "2026-01-01T00:00:00.5Z,a",
                                   "2026-01-02T00:01:01Z,a", "2026-02-01T00:00:00Z,a"));
}

TEST(CsvTest, NamesThatNeedQuotesGetThem) {
  RunResult result;
  result.services = {service("one, \"two\"", {1s})};

  EXPECT_TRUE(lines_of(result).at(1).starts_with("2026-01-01T00:00:01Z,\"one, \"\"two\"\"\",0,0,"));
}

TEST(CsvTest, ALargeRunHasARowForEachSample) {
  const RunResult result = sample_result(44);
  std::ostringstream text;
  write_csv(result, text);

  const std::string rows = text.str();
  EXPECT_EQ(std::ranges::count(rows, '\n'), 1 + 44 * kSampleSeconds);
  EXPECT_TRUE(rows.ends_with('\n'));
}

}  // namespace
}  // namespace forebay::sim
