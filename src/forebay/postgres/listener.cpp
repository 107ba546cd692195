#include "forebay/postgres/listener.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/env/condition.hpp"
#include "forebay/env/loop_group.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/task_group.hpp"
#include "forebay/postgres/sql/quoted_identifier.hpp"

namespace forebay::postgres {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(250);  // how soon a closed pool is noticed
constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(5);
constexpr const char* kNotify = "SELECT pg_catalog.pg_notify($1, $2)";

Result<void> outcome_of(const Result<QueryResult>& result) {
  return result ? Result<void>() : failure(result.error());
}

}  // namespace

struct Listener::Parts {
  explicit Parts(Scheduler& scheduler)
      : cancellation(scheduler), tasks(scheduler), arrived(scheduler) {}

  Cancellation cancellation;  // of everything that the listening waits for
  TaskGroup tasks;
  Condition arrived;
  std::deque<ListenerEvent> events;
  std::optional<PooledSession> session;
  std::string mark_channel;  // of our own
  std::uint64_t marks = 0;
  bool is_ended = false;
};

Result<std::unique_ptr<Listener>> Listener::open(PostgresPool& pool,
                                                 std::vector<std::string> channels,
                                                 const ListenerOptions& options,
                                                 std::source_location from) {
  if (pool.server() == ServerKind::dsql) {
    return failure(Errc::invalid,
                   "Aurora DSQL has no LISTEN and NOTIFY; ask a table for what is new there");
  }
  if (channels.empty() || options.queue_size == 0)
    return failure(Errc::invalid, "a listener needs a channel, and room for an event");
  std::unique_ptr<Listener> listener(new Listener(pool, std::move(channels), options, from));
  const Result<void> begun = run_blocking(listener->scheduler_, listener->begin(), from);
  if (!begun) return failure(begun.error());
  return listener;
}

Listener::Listener(PostgresPool& pool, std::vector<std::string> channels,
                   const ListenerOptions& options, std::source_location from)
    : pool_(pool),
      scheduler_(pool.env().scheduler),
      channels_(std::move(channels)),
      options_(options),
      from_(from),
      parts_(std::make_unique<Parts>(scheduler_)) {}

Listener::~Listener() { close(); }

void Listener::close() { run_blocking(scheduler_, end()); }

Task<void> Listener::end() {
  parts_->cancellation.cancel();
  co_await parts_->tasks.join();
  parts_->is_ended = true;
  parts_->arrived.notify_all();
}

bool Listener::is_over() const {
  return parts_->cancellation.is_cancelled() || pool_.pool().is_closed();
}

Task<Result<void>> Listener::begin() {
  parts_->mark_channel = fmt::format("forebay_{:016x}", pool_.env().random.next());
  const Instant deadline = deadline_after(scheduler_.now(), pool_.call_timeout());
  Result<PooledSession> session = co_await listening_session(deadline);
  if (!session) co_return failure(session.error());
  parts_->session.emplace(std::move(*session));
  parts_->tasks.spawn(run());
  co_return Result<void>();
}

Task<void> Listener::run() {
  while (!is_over()) {
    const Result<void> heard = co_await hear_until_due();
    if (is_over()) break;
    std::string why = "the session had to be replaced, and there was no second one in time";
    if (heard) {
      const bool is_handed_over = co_await hand_over();
      if (is_handed_over) continue;
      parts_->session.reset();
    } else {
      why = heard.error().text();
      parts_->session->mark_broken();
      parts_->session.reset();
    }
    co_await listen_again(std::move(why));
  }
  parts_->session.reset();
  parts_->is_ended = true;
  parts_->arrived.notify_all();
}

// Ends well when the session is to be replaced.
Task<Result<void>> Listener::hear_until_due() {
  const Instant due = parts_->session->stale_at();
  while (!is_over() && scheduler_.now() < due) {
    const Until until(std::min(due, scheduler_.now() + kLook), parts_->cancellation);
    Result<std::vector<Notification>> heard = co_await (*parts_->session)->hear(until);
    if (heard) {
      for (Notification& notification : *heard) tell(std::move(notification));
    } else if (heard.error().code() != Errc::timed_out && heard.error().code() != Errc::cancelled) {
      co_return failure(heard.error());
    }
  }
  co_return Result<void>();
}

// The server's queue has one order for everybody: what is before the mark has reached the session
// that leaves, and what is after it the new one.
Task<bool> Listener::hand_over() {
  const Instant deadline = deadline_after(scheduler_.now(), options_.handover_timeout);
  Result<PooledSession> next = co_await listening_session(deadline);
  if (!next) co_return false;
  const std::string mark = std::to_string(++parts_->marks);
  const Until until(deadline, parts_->cancellation);
  const Result<QueryResult> marked =
      co_await (*next)->exec(kNotify, parameters(parts_->mark_channel, mark), until);
  if (!marked) co_return false;
  const bool has_left = co_await read_to_mark(**parts_->session, mark, Side::before, deadline);
  if (!has_left) co_return false;
  const bool has_come = co_await read_to_mark(**next, mark, Side::after, deadline);
  if (has_come) parts_->session = std::move(*next);
  co_return has_come;
}

Task<bool> Listener::read_to_mark(LibpqConnection& connection, std::string mark, Side side,
                                  Instant deadline) {
  const Until until(deadline, parts_->cancellation);
  for (;;) {
    Result<std::vector<Notification>> heard = co_await connection.hear(until);
    if (!heard) co_return false;
    bool is_past = false;
    for (Notification& notification : *heard) {
      if (notification.channel == parts_->mark_channel) {
        is_past = is_past || notification.payload == mark;
      } else if (is_past == (side == Side::after)) {
        tell(std::move(notification));
      }
    }
    if (is_past) co_return true;
  }
}

Task<void> Listener::listen_again(std::string why) {
  Duration pause = kFirstPause;
  while (!is_over()) {
    const Instant deadline = deadline_after(scheduler_.now(), pool_.call_timeout());
    Result<PooledSession> session = co_await listening_session(deadline);
    if (session) {
      parts_->session.emplace(std::move(*session));
      tell_gap(std::move(why));
      co_return;
    }
    static_cast<void>(co_await parts_->cancellation.wait_until(scheduler_.now() + pause));
    pause = std::min(2 * pause, kLongestPause);
  }
}

Task<Result<PooledSession>> Listener::listening_session(Instant deadline) {
  const Until until(deadline, parts_->cancellation);
  Result<PooledSession> session = co_await pool_.acquire(until, from_);
  if (!session) co_return failure(session.error());
  std::string listen = "LISTEN " + quoted_identifier(parts_->mark_channel);
  for (const std::string& channel : channels_) listen += "; LISTEN " + quoted_identifier(channel);
  const Result<QueryResult> listening = co_await (*session)->exec(listen, until);
  if (!listening) co_return failure(listening.error());
  co_return session;
}

void Listener::tell(Notification notification) {
  if (parts_->events.size() >= options_.queue_size)
    return tell_gap("more came than the queue of the listener has room for");
  parts_->events.emplace_back(std::move(notification));
  parts_->arrived.notify_all();
}

// Two gaps with nothing between them are one.
void Listener::tell_gap(std::string why) {
  if (parts_->events.empty() || !parts_->events.back().is_gap())
    parts_->events.emplace_back(std::move(why));
  parts_->arrived.notify_all();
}

Task<Result<ListenerEvent>> Listener::next(Until until) {
  if (&here(scheduler_) != &scheduler_)
    co_return failure(Errc::invalid, "a listener is awaited by tasks of the runtime's first loop");
  while (parts_->events.empty()) {
    if (parts_->is_ended) co_return failure(Errc::closed, "the listener or its pool was closed");
    if (until.is_cancelled())
      co_return failure(Errc::cancelled, "the wait for a notification was cancelled");
    if (scheduler_.now() >= until.deadline())
      co_return failure(Errc::timed_out, "there was no notification before the deadline");
    static_cast<void>(co_await parts_->arrived.wait_until(until));
  }
  ListenerEvent event = std::move(parts_->events.front());
  parts_->events.pop_front();
  co_return event;
}

Result<ListenerEvent> Listener::next_blocking(Duration timeout) {
  return run_blocking(scheduler_, next(deadline_after(scheduler_.now(), timeout)));
}

Task<Result<void>> notify(PostgresPool& pool, std::string channel, std::string payload) {
  const Result<QueryResult> said = co_await pool.exec(kNotify, channel, payload);
  co_return outcome_of(said);
}

Result<void> notify_blocking(PostgresPool& pool, const std::string& channel,
                             const std::string& payload) {
  return outcome_of(pool.exec_blocking(kNotify, channel, payload));
}

Task<Result<void>> notify(StatementScope& scope, std::string channel, std::string payload) {
  const Result<QueryResult> said = co_await scope.exec(kNotify, parameters(channel, payload));
  co_return outcome_of(said);
}

Result<void> notify_blocking(StatementScope& scope, const std::string& channel,
                             const std::string& payload) {
  return outcome_of(scope.exec_blocking(kNotify, parameters(channel, payload)));
}

}  // namespace forebay::postgres
