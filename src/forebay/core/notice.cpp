#include "forebay/core/notice.hpp"

#include <algorithm>

namespace forebay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A look costs the server one system call; more often would not serve anybody.
constexpr Duration kLongestCheck = milliseconds(500);
constexpr Duration kShortestCheck = milliseconds(50);
constexpr int kChecksPerNotice = 12;

// For the server to roll back and to end its process once it knows.
constexpr Duration kTimeToEnd = seconds(1);

}  // namespace

NoticePlan plan_notice(Duration after) {
  NoticePlan plan;
  plan.check_interval = std::clamp(after / kChecksPerNotice, kShortestCheck, kLongestCheck);
  const seconds whole = std::max(seconds(2), std::chrono::ceil<seconds>(after));
  plan.keepalive_interval = std::max(seconds(1), whole / 6);
  const seconds idle = std::max(seconds(1), whole / 3);
  plan.keepalive_count = std::max(1, static_cast<int>((whole - idle) / plan.keepalive_interval));
  plan.keepalive_idle = whole - plan.keepalive_interval * plan.keepalive_count;
  return plan;
}

ServerNotice ServerNotice::of(const NoticePlan& plan) {
  ServerNotice known;
  known.check_interval = plan.check_interval;
  known.silence = plan.silence();
  return known;
}

// Until our socket gave up, the server may have heard of us; from then on it hears nothing.
Instant ended_by(const ServerNotice& server, Instant told_at, std::optional<Instant> lost_at) {
  Instant end = kNever;
  if (server.longest_work) end = deadline_after(told_at, *server.longest_work + kTimeToEnd);
  if (lost_at && server.silence && server.check_interval) {
    const Duration unnoticed = *server.silence + *server.check_interval + kTimeToEnd;
    end = std::min(end, deadline_after(*lost_at, unnoticed));
  }
  return end;
}

}  // namespace forebay
