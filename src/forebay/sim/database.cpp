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

SimDatabase::SimDatabase(const DatabaseSpec& spec, int processes, std::uint64_t seed, Trace& trace,
                         Duration jitter)
    : spec_(spec),
      random_(seed),
      trace_(trace),
      connect_failures_(spec.connect_failures),
      door_(spec.connects_per_second, spec.connect_burst, spec.max_connections, jitter),
      processes_(static_cast<std::size_t>(processes)) {}

SimDatabase::~SimDatabase() {
  while (Session* session = counted_.pop_front()) {
    const std::unique_ptr<Session> last = std::move(session->self);
  }
}

void SimDatabase::note_connect(int process, Instant now) {
  advance(now);
  ++connects_;
  connects_a_second_.add(now);
  all_next_free_ = is_rate_promised_ ? std::max(all_next_free_, now) + door_.interval() : now;
  most_too_early_ = std::max(most_too_early_, all_next_free_ - now - door_.depth());
  trace_.add(TraceEvent::connect, process, now);
}

// PostgreSQL takes cancels when it is full, too.
bool SimDatabase::admit_cancel(int process, Instant now) {
  note_connect(process, now);
  const bool is_let_in = door_.admit(0, now) == Admission::accepted;
  if (!is_let_in) ++refused_by_rate_;
  return is_let_in;
}

Admission SimDatabase::admit(Session& session, int process, Instant now) {
  note_connect(process, now);
  ++of(process).connects;
  const Admission admission = door_.admit(sessions_, now);
  if (admission != Admission::accepted) {
    ++(admission == Admission::over_cap ? refused_by_cap_ : refused_by_rate_);
    return admission;
  }
  session.process = process;
  session.arrived_at = now;
  session.is_counted = true;
  counted_.push_back(session);
  note_next_end();
  ++of(process).counted;
  most_sessions_ = std::max(most_sessions_, ++sessions_);
  return Admission::accepted;
}

void SimDatabase::finish_handshake(Session& session, Instant now) {
  if (!session.is_counted) return;
  session.is_open = true;
  session.opened_at = now;
  ++of(session.process).open;
  trace_.add(TraceEvent::opened, session.process, now);
}

void SimDatabase::begin_end(Session& session) {
  if (session.is_open && !session.is_ghost) --of(session.process).open;
  session.is_open = false;
}

void SimDatabase::end(Session& session, Instant now) {
  if (!session.is_counted || session.is_ghost) return;
  trace_.add(TraceEvent::ended, session.process, now);
  forget(session, now);
}

void SimDatabase::forget(Session& session, Instant now, Cause cause) {
  begin_end(session);
  unplan_end(session);
  session.is_counted = false;
  counted_.erase(session);
  note_next_end();
  if (!session.is_ghost) --of(session.process).counted;
  --sessions_;
  ++ended_;
  const bool is_ordered =
      cause == Cause::the_scenario || session.is_ghost || of(session.process).is_stopped;
  if (!is_ordered) ended_a_second_.add(now);
  // Either may be the end of the object.
  const std::unique_ptr<Session> last = std::move(session.self);
  if (session.holder != nullptr) session.holder->on_ended(session);
}

void SimDatabase::end_held(Session& session, Instant now) {
  if (!session.is_counted) return;
  trace_.add(TraceEvent::ended, session.process, now);
  session.holder = nullptr;
  forget(session, now, session.is_dropped ? Cause::the_scenario : Cause::its_own);
}

void SimDatabase::set_down(bool is_down, Instant now) {
  is_down_ = is_down;
  if (!is_down) return;
  advance(now);
  for (Session* session = counted_.front(); session != nullptr;) {
    Session* const next = decltype(counted_)::next(*session);
    session->is_dropped = true;
    if (session->holder == nullptr) forget(*session, now, Cause::the_scenario);
    session = next;
  }
}

// ---- sessions without a client

void SimDatabase::plan_end(Session& session, Instant at) {
  if (session.end && (*session.end)->first <= at) return;
  unplan_end(session);
  if (at != kNever) session.end = ends_.emplace(at, &session);
  note_next_end();
}

void SimDatabase::unplan_end(Session& session) {
  if (!session.end) return;
  ends_.erase(*session.end);
  session.end.reset();
  note_next_end();
}

// When the server knows that the client has gone: it reads the socket when it has nothing to do.
Instant SimDatabase::noticed_at(const Session& session, Instant now) const {
  const Instant missed = deadline_after(now, spec_.misses_client_after);
  if (of(session.process).is_cut) return missed;
  return std::max(now, std::min(session.busy_until, missed));
}

Instant SimDatabase::leave(Session& session, Instant now) {
  if (!session.is_counted) return now;
  begin_end(session);
  if (!session.is_left) plan_end(session, noticed_at(session, now));
  session.is_left = true;
  return session.end ? (*session.end)->first : kNever;
}

void SimDatabase::keep(std::unique_ptr<Session> session, Instant now) {
  if (!session->is_counted) return;
  if (!session->is_ghost) leave(*session, now);
  Session& kept = *session;
  kept.self = std::move(session);
}

Instant SimDatabase::lose_process(int process, Instant now) {
  advance(now);
  Instant last = now;
  for (Session* session = counted_.front(); session != nullptr;) {
    Session* const next = decltype(counted_)::next(*session);
    if (session->process == process && !session->is_ghost) {
      const Instant end = leave(*session, now);
      if (end <= now) {
        forget(*session, now, Cause::the_scenario);
      } else {
        session->is_ghost = true;
        --of(process).counted;
        last = std::max(last, end);
      }
    }
    session = next;
  }
  return last;
}

// What a server misses, it ends. When the network is back, the goodbyes that were lost arrive.
void SimDatabase::set_cut(int process, bool is_cut, Instant now) {
  if (of(process).is_cut == is_cut) return;
  advance(now);
  of(process).is_cut = is_cut;
  for (Session* session = counted_.front(); session != nullptr;
       session = decltype(counted_)::next(*session)) {
    if (session->process != process || session->is_ghost) continue;
    if (!is_cut && !session->is_left) unplan_end(*session);
    if (is_cut || session->is_left) plan_end(*session, noticed_at(*session, now));
  }
}

// All lives are equally long, so the oldest is always the next to be cut.
void SimDatabase::note_next_end() {
  const Session* const oldest = counted_.front();
  const Instant cut_at =
      oldest != nullptr ? deadline_after(oldest->arrived_at, spec_.cut_after) : kNever;
  next_end_ = ends_.empty() ? cut_at : std::min(cut_at, ends_.begin()->first);
}

void SimDatabase::end_due(Instant now) {
  while (next_end_ <= now && next_end_ != kNever) {
    const Instant at = next_end_;
    const bool has_no_client = !ends_.empty() && ends_.begin()->first == at;
    Session& next = has_no_client ? *ends_.begin()->second : *counted_.front();
    trace_.add(has_no_client ? TraceEvent::ended : TraceEvent::cut, next.process, at);
    forget(next, at);
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
      session->is_dropped = true;
      if (session->holder != nullptr) {
        session->holder->drop(*session);
      } else {
        forget(*session, now, Cause::the_scenario);
      }
      ++cut;
    }
    session = next;
  }
  return static_cast<int>(cut);
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
