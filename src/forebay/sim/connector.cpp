#include "forebay/sim/connector.hpp"

#include <algorithm>

namespace forebay::sim {
namespace {

Error refusal(Admission admission) {
  if (admission == Admission::over_cap) {
    return Error(Errc::limit_reached, "Unable to accept connection, too many open connections.",
                 "53300");
  }
  return Error(Errc::limit_reached, "Unable to accept connection, rate exceeded.", "53400");
}

}  // namespace

Task<Result<void>> SimConnection::ask(Instant deadline, bool clears_session) {
  const Instant now = link_.scheduler().now();
  const Duration answer_time = link_.database().draw_answer_time();
  co_await link_.wait(link_.is_up() ? std::min(deadline, now + answer_time) : deadline);
  const bool is_answered = link_.is_up() && now + answer_time <= deadline;
  link_.database().advance(link_.scheduler().now());
  if (!is_answered || !link_.database().is_alive(session_)) {
    is_broken_ = true;
    co_return failure(Errc::connection_lost, "server closed the connection unexpectedly");
  }
  if (clears_session) session_.is_dirty = false;
  co_return Result<void>();
}

Task<Result<void>> SimConnection::reset(Instant deadline) { return ask(deadline, true); }

Task<Result<void>> SimConnection::check(Instant deadline) { return ask(deadline, false); }

// A server that cannot be reached lets go when the client gives up on it.
Task<bool> SimConnection::close(Instant deadline) {
  link_.database().begin_end(session_);
  const Duration answer_time = link_.database().draw_answer_time();
  const Instant answered = link_.scheduler().now() + answer_time;
  co_await link_.wait(link_.is_up() ? std::min(deadline, answered) : deadline);
  link_.database().end(session_, link_.scheduler().now());
  co_return true;
}

bool SimConnection::run_transaction() {
  session_.is_dirty = true;
  link_.database().advance(link_.scheduler().now());
  if (!link_.is_up() || !link_.database().is_alive(session_)) is_broken_ = true;
  return !is_broken_;
}

void SimConnector::close() {
  is_closed_ = true;
  closing_.notify_all();
}

std::unique_ptr<SimConnection> SimConnector::make_connection(Link& link) {
  return std::make_unique<SimConnection>(link);
}

Task<Result<std::unique_ptr<Connection>>> SimConnector::connect(std::string, Instant deadline) {
  SimDatabase& database = link_.database();
  const Instant now = link_.scheduler().now();
  if (is_closed_ || link_.is_dead()) co_return failure(Errc::closed, "closing");
  if (!link_.is_up()) {
    co_await closing_.wait_until(deadline);
    co_return failure(Errc::connect_failed, "connection timed out");
  }
  std::unique_ptr<SimConnection> connection = make_connection(link_);
  const Admission admission = database.admit(connection->session(), link_.process(), now);
  const Duration connect_time = database.draw_connect_time();
  const bool fails = database.draw_connect_failure();
  const Instant answered = now + connect_time;
  if (!is_closed_) co_await closing_.wait_until(std::min(answered, deadline));
  if (admission != Admission::accepted) co_return failure(refusal(admission));

  const bool is_lost = is_closed_ || link_.is_dead() || fails || answered > deadline ||
                       !link_.is_up() || !database.is_alive(connection->session());
  if (is_lost) {
    database.end(connection->session(), link_.scheduler().now());
    if (is_closed_) co_return failure(Errc::closed, "closing");
    co_return failure(Errc::connect_failed,
                      fails ? "server closed the connection unexpectedly" : "connection timed out");
  }
  database.finish_handshake(connection->session(), link_.scheduler().now());
  std::unique_ptr<Connection> opened = std::move(connection);
  co_return opened;
}

}  // namespace forebay::sim
