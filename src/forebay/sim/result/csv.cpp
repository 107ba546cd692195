#include "forebay/sim/result/csv.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <ostream>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "forebay/base/utc_text.hpp"

namespace forebay::sim {
namespace {

constexpr std::string_view kColumns =
    "t_rfc3339,service,size,target,in_use,checkouts,empty_events,discards,discard_expired,"
    "discard_guard,discard_full,refills,refill_failures,scan_evictions,limiter_denies,"
    "work_started,work_completed,opening,cleaning,closing,waiters,leases,up,timeouts,"
    "work_failed";
constexpr std::size_t kFlushAt = 64 * 1024;

using Discards = std::array<std::uint32_t, kDiscardReasons>;

std::uint64_t count(const Discards& discards, DiscardReason reason) {
  return discards[static_cast<std::size_t>(reason)];
}

// Quotes only where RFC 4180 wants them.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string time_text(Duration at) {
  using namespace std::chrono_literals;
  const std::chrono::sys_days begin(2026y / std::chrono::January / 1);
  return exact_iso_text(begin.time_since_epoch() + at);
}

void add_row(fmt::memory_buffer& rows, std::string_view time, std::string_view service,
             const Sample& sample) {
  using enum DiscardReason;
  const Discards& by = sample.discards;
  const std::uint64_t discards = std::accumulate(by.begin(), by.end(), std::uint64_t{0});
  const std::uint64_t expired =
      count(by, expired_on_checkout) + count(by, expired_on_return) + count(by, expired_on_scan);
  const std::uint64_t guard =
      count(by, insufficient_remaining_lifetime) + count(by, expiring_soon_on_scan);
  const std::uint64_t scan_evictions =
      count(by, expired_on_scan) + count(by, expiring_soon_on_scan) + count(by, replaced);
  const auto end = std::back_inserter(rows);
  fmt::format_to(end, FMT_COMPILE("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}"), time,
                 service, sample.ready, sample.target, sample.lent, sample.acquired,
                 sample.empty_events, discards, expired, guard, count(by, reservoir_full),
                 sample.opened, sample.open_failures, scan_evictions, sample.permit_waits,
                 sample.work_started, sample.work_completed);
  fmt::format_to(end, FMT_COMPILE(",{},{},{},{},{},{},{},{}"), sample.opening, sample.cleaning,
                 sample.closing, sample.waiters, sample.leases, sample.is_up ? 1 : 0,
                 sample.timeouts, sample.work_failed);
  for (const std::uint32_t number : by) fmt::format_to(end, FMT_COMPILE(",{}"), number);
  rows.push_back('\n');
}

}  // namespace

void write_csv(const RunResult& result, std::ostream& out) {
  out << kColumns;
  for (std::size_t i = 0; i < kDiscardReasons; ++i) {
    out << ",discard_" << name(static_cast<DiscardReason>(i));
  }
  out << '\n';

  std::vector<std::string> names;
  names.reserve(result.services.size());
  for (const ServiceResult& service : result.services) names.push_back(field(service.name));
  // Where each service's next sample stands: a process of a later deployment has fewer.
  std::vector<std::size_t> next(result.services.size(), 0);
  fmt::memory_buffer rows;
  while (true) {
    Duration at = Duration::max();
    for (std::size_t i = 0; i < next.size(); ++i) {
      const std::vector<Sample>& samples = result.services[i].samples;
      if (next[i] < samples.size()) at = std::min(at, samples[next[i]].at);
    }
    if (at == Duration::max()) break;
    const std::string time = time_text(at);
    for (std::size_t i = 0; i < next.size(); ++i) {
      const std::vector<Sample>& samples = result.services[i].samples;
      if (next[i] == samples.size() || samples[next[i]].at != at) continue;
      add_row(rows, time, names[i], samples[next[i]++]);
    }
    if (rows.size() >= kFlushAt) {
      out.write(rows.data(), static_cast<std::streamsize>(rows.size()));
      rows.clear();
    }
  }
  out.write(rows.data(), static_cast<std::streamsize>(rows.size()));
}

}  // namespace forebay::sim
