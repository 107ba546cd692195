#include "forebay/core/connect_health.hpp"

#include <algorithm>

namespace forebay {
namespace {

// The pause, and no longer one, while the server has no connection left for us, or not at this
// rate, and some of ours are open: the next that ends makes room, and others want it too.
constexpr Duration kPauseAtLimit = std::chrono::seconds(1);

bool is_at_limit(const FailedOpen& failed) {
  const bool is_rate =
      failed.reason == OpenFailure::connection_open && failed.error.code() == Errc::rate_reached;
  return is_full(failed) || is_rate;
}

// A server that has not spoken locks nobody out.
BackoffRule rule_after(const FailedOpen& failed, BackoffRule rule, bool has_open) {
  const bool is_spoken = failed.reason == OpenFailure::connection_open &&
                         !failed.error.sqlstate().empty() && is_for_good(failed);
  if (is_spoken) {
    rule.first = std::max(rule.first, kRefusedBackoff.first);
    rule.longest = std::max(rule.longest, kRefusedBackoff.longest);
  }
  if (is_at_limit(failed) && has_open) rule.longest = std::min(rule.longest, kPauseAtLimit);
  return rule;
}

}  // namespace

void ConnectHealth::note_opened(Duration connect_time, int sessions) {
  connect_time_.add(connect_time);
  failures_ = 0;
  is_refused_ = false;
  backoff_until_ = Instant::min();
  server_room_.note_opened(sessions);
  if (kept_) kept_ = std::max(*kept_, sessions);
}

bool ConnectHealth::note_failed(Instant now, const FailedOpen& failed, const Situation& situation,
                                Random& random) {
  last_failure_ = failed.reason;
  note_kept(failed, situation.sessions);
  BackoffRule rule = rule_after(failed, situation.rule, situation.open > 0);
  if (is_full(failed) && situation.open > 0) {
    failures_ = 0;  // it has answered
    is_refused_ = false;
    backoff_until_ = Instant::min();
    rule.first = rule.longest;
    return server_room_.note_full(now, situation.sessions, rule, random);
  }
  // One that is refused for good lengthens the pause that others began.
  const bool is_final = is_for_good(failed);
  if (now < backoff_until_ && (is_refused_ || !is_final)) return false;
  if (is_final != is_refused_) failures_ = 0;
  is_refused_ = is_final;
  ++failures_;
  backoff_until_ = now + backoff_delay(rule, failures_, random);
  return true;
}

// Refused below what it had: others took a place. Each refusal lowers it by one, so that there is
// an end to what is asked for in a pause.
void ConnectHealth::note_kept(const FailedOpen& failed, int sessions) {
  if (!is_cluster_full(failed)) {
    kept_.reset();
  } else if (!kept_ || sessions >= *kept_) {
    kept_ = sessions;
  } else {
    --*kept_;
  }
}

void ConnectHealth::forget_failure() {
  last_failure_.reset();
  kept_.reset();
  server_room_.forget();
}

}  // namespace forebay
