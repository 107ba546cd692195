#include "forebay/sim/database.hpp"

#include <algorithm>
#include <cmath>

#include "forebay/sim/latency.hpp"

namespace forebay::sim {

void SimDatabase::PerSecond::add(Instant now) {
  const std::int64_t this_second = now.time_since_epoch() / std::chrono::seconds(1);
  if (this_second > second) count = 0;
  second = std::max(second, this_second);
  if (++count <= most) return;
  most = count;
  when = Instant(std::chrono::seconds(this_second));
}

SimDatabase::SimDatabase(const DatabaseSpec& spec, int processes, std::uint64_t seed, Trace& trace)
    : spec_(spec),
      random_(seed),
      trace_(trace),
      connect_failures_(spec.connect_failures),
      interval_(static_cast<std::int64_t>(1e9 / spec.connects_per_second)),
      depth_(interval_ * spec.connect_burst),
      processes_(static_cast<std::size_t>(processes)) {}

Admission SimDatabase::admit(Session& session, int process, Instant now) {
  advance(now);
  ++connects_;
  ++of(process).connects;
  connects_a_second_.add(now);
  all_next_free_ = std::max(all_next_free_, now) + interval_;
  most_too_early_ = std::max(most_too_early_, all_next_free_ - now - depth_);
  trace_.add(TraceEvent::connect, process, now);

  const bool has_room = !spec_.max_connections || sessions_ < *spec_.max_connections;
  const bool is_in_rate = is_within_rate(now);
  if (!has_room || !is_in_rate) {
    ++(is_in_rate ? refused_by_cap_ : refused_by_rate_);
    return is_in_rate ? Admission::over_cap : Admission::over_rate;
  }
  session.process = process;
  session.arrived_at = now;
  session.is_counted = true;
  counted_.push_back(session);
  ++of(process).counted;
  most_sessions_ = std::max(most_sessions_, ++sessions_);
  return Admission::accepted;
}

bool SimDatabase::is_within_rate(Instant now) {
  const Instant next = std::max(next_free_, now) + interval_;
  if (next - now > depth_) return false;
  next_free_ = next;
  return true;
}

int SimDatabase::allowed_now(Instant now) const {
  const Duration used = std::max(Duration::zero(), next_free_ - now);
  return static_cast<int>((depth_ - used) / interval_);
}

void SimDatabase::finish_handshake(Session& session, Instant now) {
  if (!session.is_counted) return;
  session.is_open = true;
  session.opened_at = now;
  ++of(session.process).open;
  trace_.add(TraceEvent::opened, session.process, now);
}

void SimDatabase::begin_end(Session& session) {
  if (session.is_open) --of(session.process).open;
  session.is_open = false;
}

void SimDatabase::end(Session& session, Instant now) {
  if (!session.is_counted) return;
  trace_.add(TraceEvent::ended, session.process, now);
  forget(session, now);
}

void SimDatabase::forget(Session& session, Instant now) {
  begin_end(session);
  session.is_counted = false;
  counted_.erase(session);
  --of(session.process).counted;
  --sessions_;
  ++ended_;
  ended_a_second_.add(now);
}

// All lives are equally long, so the oldest is always the next to be cut.
void SimDatabase::advance(Instant now) {
  while (Session* oldest = counted_.front()) {
    const Instant cut_at = deadline_after(oldest->arrived_at, spec_.cut_after);
    if (cut_at > now) return;
    trace_.add(TraceEvent::cut, oldest->process, cut_at);
    forget(*oldest, cut_at);
  }
}

int SimDatabase::cut_fraction(double fraction, Instant now) {
  advance(now);
  auto left = static_cast<std::uint64_t>(sessions_);
  const auto wanted = static_cast<std::uint64_t>(std::lround(fraction * sessions_));
  std::uint64_t cut = 0;
  for (Session* session = counted_.front(); session != nullptr; --left) {
    Session* const next = decltype(counted_)::next(*session);
    if (random_.below(left) < wanted - cut) {
      trace_.add(TraceEvent::cut, session->process, now);
      forget(*session, now);
      ++cut;
    }
    session = next;
  }
  return static_cast<int>(cut);
}

void SimDatabase::cut_process(int process, Instant now) {
  advance(now);
  for (Session* session = counted_.front(); session != nullptr;) {
    Session* const next = decltype(counted_)::next(*session);
    if (session->process == process) forget(*session, now);
    session = next;
  }
}

Duration SimDatabase::draw_connect_time() {
  const Duration time = draw(spec_.connect, random_);
  if (connect_factor_ == 1) return time;
  return Duration(static_cast<std::int64_t>(static_cast<double>(time.count()) * connect_factor_));
}

Duration SimDatabase::draw_answer_time() { return draw(spec_.answer, random_); }

bool SimDatabase::draw_connect_failure() { return draw_chance(connect_failures_, random_); }

bool SimDatabase::draw_conflict() {
  const bool is_conflict = draw_chance(spec_.conflicts, random_);
  if (is_conflict) ++conflicts_;
  return is_conflict;
}

}  // namespace forebay::sim
