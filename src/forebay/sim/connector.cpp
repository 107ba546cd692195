#include "forebay/sim/connector.hpp"

#include <algorithm>

namespace forebay::sim {

Task<Result<void>> SimConnection::ask(Instant deadline, bool clears_session) {
  __builtin_prefetch(&session_->is_counted);  // looked at when the answer comes
  const Instant now = link_.scheduler().now();
  const Duration answer_time =
      link_.database().draw_answer_time() + link_.database().stall_left(now);
  co_await link_.wait(link_.is_up() ? std::min(deadline, now + answer_time) : deadline);
  const bool is_answered = link_.is_up() && now + answer_time <= deadline;
  if (!is_answered || !is_alive()) {
    is_broken_ = true;
    co_return failure(Errc::connection_lost, "server closed the connection unexpectedly");
  }
  if (clears_session) session_->is_dirty = false;
  co_return Result<void>();
}

Task<Result<void>> SimConnection::reset(Instant deadline) { return ask(deadline, true); }

Task<Result<void>> SimConnection::check(Instant deadline) { return ask(deadline, false); }

// The server has not ended it. A process that has died has a clock of its own and hears nothing.
bool SimConnection::is_alive() {
  if (link_.is_dead()) return false;
  link_.database().advance(link_.scheduler().now());
  return link_.database().is_alive(*session_);
}

// An idle server answers the goodbye. A busy one hears of it when it looks for its client, and one
// that cannot be reached misses its client by itself: until then it counts the session.
Task<bool> SimConnection::close(Instant deadline) {
  SimDatabase& database = link_.database();
  const Instant now = link_.scheduler().now();
  const Duration answer_time = database.draw_answer_time() + database.stall_left(now);
  if (link_.is_up() && session_->busy_until <= now && !session_->is_left) {
    database.begin_end(*session_);
    co_await link_.wait(std::min(deadline, now + answer_time));
    if (link_.is_up()) database.end(*session_, link_.scheduler().now());
    co_return !is_alive();
  }
  const Instant gone = database.leave(*session_, now);
  co_await link_.wait(std::min(deadline, gone));
  co_return !is_alive();
}

bool SimConnection::run_transaction() {
  session_->is_dirty = true;
  if (!link_.is_up() || !is_alive()) is_broken_ = true;
  return !is_broken_;
}

Task<Result<void>> SimConnection::run_statement(Duration length, Instant deadline) {
  session_->is_dirty = true;
  session_->busy_until = deadline_after(link_.scheduler().now(), length);
  co_await link_.wait(std::min(session_->busy_until, deadline));
  const bool is_over = session_->busy_until <= link_.scheduler().now();
  if (!link_.is_up() || !is_alive()) is_broken_ = true;
  if (is_over && !is_broken_) co_return Result<void>();
  // To a server that knows no cancels none are sent.
  is_interrupted_ = !is_over && !is_broken_ && link_.database().spec().heeds_cancels;
  is_broken_ = is_broken_ || !is_interrupted_;
  co_return failure(Errc::timed_out, "the statement took longer than its caller waits");
}

// As the driver has it: the session may be used again only if the cancel has met its statement. It
// is heard of by its answer, or not at all.
Task<Result<void>> SimConnection::cancel(Instant deadline) {
  is_interrupted_ = false;
  SimDatabase& database = link_.database();
  const Instant now = link_.scheduler().now();
  if (session_->busy_until <= now && link_.is_up() && is_alive()) co_return Result<void>();
  const bool is_taken =
      link_.is_up() && !database.is_down() && database.admit_cancel(link_.process(), now);
  const Duration answer_time = database.draw_answer_time() + database.stall_left(now);
  const Instant ended = is_taken ? now + answer_time : kNever;
  co_await link_.wait(std::min(ended, deadline));
  const bool is_met = ended <= deadline && ended < session_->busy_until;
  if (!is_met || !link_.is_up() || !is_alive()) {
    is_broken_ = true;
    co_return failure(Errc::timed_out, "the statement was not cancelled in time");
  }
  session_->busy_until = link_.scheduler().now();
  co_return Result<void>();
}

std::unique_ptr<SimConnection> SimConnector::make_connection(Link& link) {
  return std::make_unique<SimConnection>(link);
}

Task<Result<std::unique_ptr<Connection>>> SimConnector::connect(std::string, Instant deadline) {
  SimDatabase& database = link_.database();
  const Instant now = link_.scheduler().now();
  if (closing_.is_cancelled() || link_.is_dead()) co_return failure(Errc::closed, "closing");
  if (!link_.is_up()) {
    co_await closing_.wait_until(deadline);
    co_return failure(Errc::connect_failed, "connection timed out");
  }
  if (database.is_down()) {
    co_await closing_.wait_until(std::min(deadline, now + database.draw_answer_time()));
    co_return failure(Errc::connect_failed, "connection refused");
  }
  std::unique_ptr<SimConnection> connection = make_connection(link_);
  const Admission admission = database.admit(connection->session(), link_.process(), now);
  const Duration connect_time = database.draw_connect_time() + database.stall_left(now);
  const bool fails = database.draw_connect_failure();
  const Instant answered = now + connect_time;
  const bool is_closed = co_await closing_.wait_until(std::min(answered, deadline));
  if (admission != Admission::accepted) co_return failure(refusal_at_door(admission));

  const bool is_lost = is_closed || link_.is_dead() || fails || answered > deadline ||
                       !link_.is_up() || !database.is_alive(connection->session());
  if (is_lost) {
    database.end(connection->session(), link_.scheduler().now());
    if (is_closed) co_return failure(Errc::closed, "closing");
    co_return failure(Errc::connect_failed,
                      fails ? "server closed the connection unexpectedly" : "connection timed out");
  }
  database.finish_handshake(connection->session(), link_.scheduler().now());
  std::unique_ptr<Connection> opened = std::move(connection);
  co_return opened;
}

}  // namespace forebay::sim
